import { type Hex, hashStruct, zeroAddress } from "viem";
import type { Row } from "../index-of";
import { allOf, byId, type Chain, inChunks, known, lower, originOf, type Rows } from "./chain";

/** The EIP-712 types from the specification, independent of the indexer and the contracts. */
const eip712Types = Object.fromEntries(
  Object.entries({
    Intent:
      "address owner,uint8 intentType,Constraints constraints,ExecutionRequirements execution,address inputToken,address outputToken,uint256 nonce",
    Constraints: "uint256 amountInMax,uint256 amountOutMin,uint256 deadline,uint16 slippageBps",
    ExecutionRequirements:
      "address target,bytes32 dataHash,bytes32 requiredAttestationSubject,bytes32 requiredAttestationSchema,bytes32 metadataURIHash",
  }).map(([name, members]) => [name, members.split(",").map(memberOf)]),
);

function memberOf(written: string) {
  const [type = "", name = ""] = written.split(" ");
  return { name, type };
}

const statuses = ["OPEN", "FILLED", "CANCELLED"] as const;

async function readIntents({ client, read, events, timeOf }: Chain) {
  const submitted = byId(
    await client.getContractEvents({ ...events("IntentBook"), eventName: "IntentSubmitted" }),
    ({ args }) => args.intentId,
  );
  const intents = await allOf(async (id) => {
    const intent = await read("IntentBook", "getIntent", [id]);
    return intent.owner === zeroAddress ? null : intent;
  });
  return inChunks(intents, async ({ id, value }) => {
    const [status, selectedBidId, bids] = await Promise.all([
      read("IntentBook", "getIntentStatus", [id]),
      read("IntentBook", "getSelectedBid", [id]),
      allOf(async (bidId) => {
        const bid = await read("IntentBook", "getBid", [id, bidId]);
        return bid.exists ? bid : null;
      }),
    ]);
    const { constraints, execution } = value;
    const log = known(submitted, id);
    const selected = bids.find((bid) => bid.id === selectedBidId);
    const row: Row<"intent"> = {
      intentId: String(id),
      owner: lower(value.owner),
      intentType: value.intentType,
      amountInMax: String(constraints.amountInMax),
      amountOutMin: String(constraints.amountOutMin),
      deadline: String(constraints.deadline),
      slippageBps: constraints.slippageBps,
      executionTarget: lower(execution.target),
      executionDataHash: execution.dataHash,
      requiredAttestationSubject: execution.requiredAttestationSubject,
      requiredAttestationSchema: execution.requiredAttestationSchema,
      metadataUriHash: execution.metadataURIHash,
      inputToken: lower(value.inputToken),
      outputToken: lower(value.outputToken),
      nonce: String(value.nonce),
      intentHash: hashStruct({ data: value, primaryType: "Intent", types: eip712Types }),
      status: known(new Map(statuses.entries()), status),
      selectedBidId: selectedBidId === 0n ? null : String(selectedBidId),
      selectedSolver: selected ? lower(selected.value.solver) : null,
      submittedAt: timeOf(log.blockNumber),
      ...originOf(log),
    };
    return { row, bids };
  });
}

type Intents = Awaited<ReturnType<typeof readIntents>>;

async function bidRows({ client, events, timeOf }: Chain, intents: Intents): Promise<Row<"bid">[]> {
  const nameOf = (intentId: unknown, bidId: unknown) => `bid ${intentId}-${bidId}`;
  const made = byId(
    await client.getContractEvents({ ...events("IntentBook"), eventName: "SolverBidSubmitted" }),
    ({ args }) => nameOf(args.intentId, args.bidId),
  );
  return intents.flatMap(({ row: { intentId }, bids }) =>
    bids.map(({ id: bidId, value }) => {
      const name = nameOf(intentId, bidId);
      const log = known(made, name);
      return {
        intentId,
        bidId: String(bidId),
        solver: lower(value.solver),
        amountIn: String(value.amountIn),
        amountOut: String(value.amountOut),
        fee: String(value.fee),
        validUntil: String(value.validUntil),
        executionHash: value.executionHash,
        createdAt: timeOf(log.blockNumber),
        ...originOf(log),
      };
    }),
  );
}

async function fillRows({ client, events, timeOf }: Chain, intents: Intents): Promise<Row<"fill">[]> {
  const ofIntent = new Map(intents.map(({ row }) => [row.intentId, row]));
  const fills = await client.getContractEvents({ ...events("IntentBook"), eventName: "IntentFilled" });
  return fills.map((log) => {
    const { intentId, solver, amountIn, amountOut } = log.args;
    const { owner, inputToken, outputToken, selectedBidId } = known(ofIntent, String(intentId));
    return {
      intentId: String(intentId),
      ...{ owner, inputToken, outputToken },
      solver: lower(solver),
      amountIn: String(amountIn),
      amountOut: String(amountOut),
      bidId: selectedBidId,
      filledAt: timeOf(log.blockNumber),
      ...originOf(log),
    };
  });
}

/** The proof of every fill, which exists only in logs. */
async function proofRows({ client, events }: Chain): Promise<Row<"fillProof">[]> {
  const proofs = await client.getContractEvents({ ...events("IntentBook"), eventName: "IntentFillProof" });
  return proofs.map(({ args: { intentId, resultHash, traceHash, attestationId } }) => ({
    intentId: String(intentId),
    resultHash,
    traceHash,
    attestationId: String(attestationId),
  }));
}

/** Every bid that was ever selected. */
async function readSelections({ client, events, timeOf }: Chain) {
  const selections = await client.getContractEvents({ ...events("IntentBook"), eventName: "SolverBidSelected" });
  const rows = selections.map(({ args: { intentId, bidId, solver }, blockNumber }) => ({
    solver: lower(solver),
    row: {
      intentId: String(intentId),
      bidId: String(bidId),
      selectedAt: timeOf(blockNumber),
    } satisfies Row<"bidSelection">,
  }));
  // Of a bid that was selected again, the latest selection.
  return [...new Map(rows.map((one) => [`${one.row.intentId}-${one.row.bidId}`, one])).values()];
}

/** The solver statistics of each active address, registered or not. */
function solverActivityRows(
  intents: Row<"intent">[],
  fills: Row<"fill">[],
  everSelected: Hex[],
): Row<"solverActivity">[] {
  const byIntent = new Map(intents.map((intent) => [intent.intentId, intent]));
  const unfilledFor = intents.flatMap(({ status, selectedSolver }) =>
    status !== "FILLED" && selectedSolver !== null ? [selectedSolver] : [],
  );
  const solvers = [...new Set<Hex>([...fills.map(({ solver }) => solver), ...everSelected])];
  return solvers.map((solver) => {
    const own = fills.filter((fill) => fill.solver === solver);
    const total = (of: (fill: Row<"fill">, intent: Row<"intent">) => bigint) =>
      String(own.reduce((sum, fill) => sum + of(fill, known(byIntent, fill.intentId)), 0n));
    return {
      solver,
      fills: own.length,
      latencyBlocks: total((fill, intent) => BigInt(fill.blockNumber) - BigInt(intent.blockNumber)),
      surplusOut: total((fill, intent) => BigInt(fill.amountOut) - BigInt(intent.amountOutMin)),
      unfilledSelections: unfilledFor.filter((one) => one === solver).length,
    };
  });
}

/** How many OPEN intents have selected each solver, by the hour of their deadline. Zero if none is OPEN any more. */
function openSelectionRows(
  intents: Row<"intent">[],
  selections: { intentId: string; solver: Hex }[],
): Row<"openSelection">[] {
  const byIntent = new Map(intents.map((intent) => [intent.intentId, intent]));
  const rows = new Map<string, Row<"openSelection">>();
  for (const { intentId, solver } of selections) {
    const { deadline } = known(byIntent, intentId);
    const deadlineHour = String((BigInt(deadline) / 3_600n) * 3_600n);
    rows.set(`${solver} ${deadlineHour}`, { solver, deadlineHour, count: 0 });
  }
  for (const { status, selectedSolver, deadline } of intents) {
    const row = rows.get(`${selectedSolver} ${(BigInt(deadline) / 3_600n) * 3_600n}`);
    if (row && status === "OPEN") row.count += 1;
  }
  return [...rows.values()];
}

/** The rows of the IntentBook: intents, bids and fills. */
export async function intentRows(
  chain: Chain,
): Promise<Rows<"intent" | "bid" | "bidSelection" | "fill" | "fillProof" | "openSelection" | "solverActivity">> {
  const intents = await readIntents(chain);
  const intent = intents.map(({ row }) => row);
  const [bid, selections, fill, fillProof] = await Promise.all([
    bidRows(chain, intents),
    readSelections(chain),
    fillRows(chain, intents),
    proofRows(chain),
  ]);
  const selected = selections.map(({ solver, row }) => ({ solver, intentId: row.intentId }));
  return {
    intent,
    bid,
    bidSelection: selections.map(({ row }) => row),
    fill,
    fillProof,
    solverActivity: solverActivityRows(
      intent,
      fill,
      selected.map(({ solver }) => solver),
    ),
    openSelection: openSelectionRows(intent, selected),
  };
}
