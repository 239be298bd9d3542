import { desc, eq } from "drizzle-orm";
import { type Address, type Hex, maxUint256, parseSignature, zeroAddress, zeroHash } from "viem";
import { formatTime } from "../../../common/format";
import { intentTypes, type SignableIntent } from "../../../common/intent";
import { intent } from "../../../ponder.schema";
import { amountTerm, basisPoints, timeTerm, tokenTerm } from "../../actions/terms";
import { BadInput, NotFound } from "../../core/errors";
import { address, bytes, hash, id } from "../../core/inputs";
import type { z } from "../../core/operation";
import { type Placeholders, preparedQuery } from "../../indexed/prepared-query";
import { attestations } from "../attestations";
import { onchainBids } from "../bids";
import { intents } from "../intents";
import { actionsOf } from "./action";
import { describeValues } from "./metadata";
import { contractAt } from "./prepare";
import type { Scope } from "./scope";
import { typedDataOf } from "./typed-data";

// Intents of owners, bids and fills of solvers.

const alice = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
const solver = "0x15d34aaf54267db7d7c367839aaf71a00a2c6a65";

const book = actionsOf("IntentBook");

const DEFAULT_DEADLINE = { after: 3_600n };

/** The only type: SWAP_EXACT_IN_MAX_SLIPPAGE. */
const INTENT_TYPE = 0;

/** How many of an owner's newest intents are read for the next nonce. */
const NEWEST = 100;

const SIGNATURE_LENGTH = 2 + 65 * 2;

const selectNonces = preparedQuery((db, { owner }: Placeholders<{ owner: Address }>) =>
  db
    .select({ nonce: intent.nonce })
    .from(intent)
    .where(eq(intent.owner, owner))
    .orderBy(desc(intent.intentId))
    .limit(NEWEST),
);

/** The nonce after the highest one of the owner's newest intents. */
async function nextNonce({ context }: Scope, owner: Address): Promise<bigint> {
  const rows = await selectNonces(context.db, { owner });
  const highest = rows.reduce((nonce, row) => (row.nonce > nonce ? row.nonce : nonce), 0n);
  if (highest === maxUint256) throw new BadInput("nonce: is required, because the owner has used the highest one");
  return highest + 1n;
}

const optionalHash = (description: string) => hash.optional().openapi({ description: `${description} Default: none.` });

const intentFields = {
  owner: address.optional().openapi({ description: "Who signs the intent. Default: from, who sends it." }),
  input_token: tokenTerm.optional().openapi({ description: "What is given. Default: the token of amount_in_max." }),
  output_token: tokenTerm.optional().openapi({ description: "What is wanted. Default: the token of amount_out_min." }),
  amount_in_max: amountTerm.openapi({ example: "1,000 tUSD" }),
  amount_out_min: amountTerm.openapi({ example: "0.3 tWETH" }),
  deadline: timeTerm.optional().openapi({ description: "Unix seconds or a duration. Default: 1h." }),
  slippage_bps: basisPoints.optional().openapi({ description: "At most 10000. Default: 0." }),
  nonce: id.optional().openapi({ description: "Default: the next one of the owner." }),
  execution_target: address.optional().openapi({ description: "The contract to execute. Default: any." }),
  data_hash: optionalHash("The keccak256 of the execution's data."),
  required_attestation_subject: optionalHash("The subject of an attestation that a fill needs."),
  required_attestation_schema: optionalHash("The schema of an attestation that a fill needs."),
  metadata_uri_hash: optionalHash("The keccak256 of the metadata's URI."),
  signature: bytes.optional().openapi({ description: "The owner's signature of typed_data.", example: "0x" }),
};

/** The intent that an input describes. */
async function intentOf(input: z.output<z.ZodObject<typeof intentFields>>, scope: Scope): Promise<SignableIntent> {
  const owner = input.owner ?? scope.from;
  const tokenOf = (side: "input" | "output", term: typeof input.amount_in_max) => {
    const named = input[`${side}_token`];
    return named ? scope.token(`${side}_token`, named) : scope.tokenOf(`${side}_token`, term);
  };
  const inputToken = tokenOf("input", input.amount_in_max);
  const outputToken = tokenOf("output", input.amount_out_min);
  return {
    owner,
    intentType: INTENT_TYPE,
    constraints: {
      amountInMax: await scope.amount("amount_in_max", input.amount_in_max, inputToken),
      amountOutMin: await scope.amount("amount_out_min", input.amount_out_min, outputToken),
      deadline: scope.time(input.deadline ?? DEFAULT_DEADLINE),
      slippageBps: input.slippage_bps ?? 0,
    },
    execution: {
      target: input.execution_target ?? zeroAddress,
      dataHash: input.data_hash ?? zeroHash,
      requiredAttestationSubject: input.required_attestation_subject ?? zeroHash,
      requiredAttestationSchema: input.required_attestation_schema ?? zeroHash,
      metadataURIHash: input.metadata_uri_hash ?? zeroHash,
    },
    inputToken,
    outputToken,
    nonce: input.nonce ?? (await nextNonce(scope, owner)),
  };
}

/** The input that describes exactly an intent. */
const inputOf = ({ owner, constraints, execution, inputToken, outputToken, nonce }: SignableIntent) => ({
  owner,
  input_token: inputToken,
  output_token: outputToken,
  amount_in_max: String(constraints.amountInMax),
  amount_out_min: String(constraints.amountOutMin),
  deadline: String(constraints.deadline),
  slippage_bps: constraints.slippageBps,
  nonce: String(nonce),
  execution_target: execution.target,
  data_hash: execution.dataHash,
  required_attestation_subject: execution.requiredAttestationSubject,
  required_attestation_schema: execution.requiredAttestationSchema,
  metadata_uri_hash: execution.metadataURIHash,
});

async function describeIntent(
  { owner, constraints, execution, inputToken, outputToken, nonce }: SignableIntent,
  scope: Scope,
) {
  const { amountInMax, amountOutMin, deadline, slippageBps } = constraints;
  const given = { amount: amountInMax, token: inputToken };
  const wanted = { amount: amountOutMin, token: outputToken };
  await scope.compareTrade(given, wanted, "the owner");
  scope.checkUnlimited(amountInMax, "The amount to give");
  const conditions = [
    `the nonce ${nonce}`,
    ...(slippageBps === 0 ? [] : [`a slippage of ${slippageBps} basis points`]),
    ...(execution.target === zeroAddress ? [] : [`the execution target ${execution.target}`]),
    ...(execution.dataHash === zeroHash ? [] : [`the execution data with the hash ${execution.dataHash}`]),
    ...(execution.requiredAttestationSubject === zeroHash
      ? []
      : [`an attestation about ${execution.requiredAttestationSubject}`]),
    ...(execution.requiredAttestationSchema === zeroHash
      ? []
      : [`an attestation of schema ${execution.requiredAttestationSchema}`]),
    ...(execution.metadataURIHash === zeroHash ? [] : [`metadata at a URI with the hash ${execution.metadataURIHash}`]),
  ];
  return `an intent of ${owner} to give at most ${await scope.money(amountInMax, inputToken)} for at least ${await scope.money(amountOutMin, outputToken)} until ${scope.until(deadline)}, with ${conditions.join(", ")}`;
}

function signatureParts(signature: Hex) {
  const problem = "signature: must be the 65 bytes of an ECDSA signature";
  if (signature.length !== SIGNATURE_LENGTH) throw new BadInput(problem);
  try {
    const { v, yParity, r, s } = parseSignature(signature);
    return { v: Number(v ?? BigInt(yParity) + 27n), r, s };
  } catch {
    // viem rejects a recovery byte other than 0, 1, 27 and 28.
    throw new BadInput(problem);
  }
}

/** An intent as a sentence names it, with its owner. */
const readIntent = (scope: Scope, intentId: bigint) => scope.read(intents.get, { id: String(intentId) });

type Intent = Awaited<ReturnType<typeof readIntent>>;

/** The amounts of a bid in the tokens of its intent. */
async function describeBid(
  scope: Scope,
  { input_token, output_token }: Pick<Intent, "input_token" | "output_token">,
  bid: { amountIn: bigint; amountOut: bigint; fee: bigint },
) {
  const { amountIn, amountOut, fee } = bid;
  // The contract does not define the token of a fee.
  const charge = fee === 0n ? "" : ` with a fee of ${fee}`;
  return `${await scope.money(amountOut, output_token as Address)} for ${await scope.money(amountIn, input_token as Address)}${charge}`;
}

type BidText = Awaited<ReturnType<typeof readBid>>;

const readBid = (scope: Scope, bidId: string) => scope.read(onchainBids.get, { bidId });

/** The best on-chain bid with a status. */
async function bestBid(scope: Scope, intentId: bigint, status: "open" | "selected"): Promise<BidText> {
  const { bids } = await scope.read(onchainBids.list, { id: String(intentId), status });
  const found = bids.find(({ source }) => source === "onchain");
  if (found) return found;
  throw new NotFound(
    status === "open"
      ? `Intent ${intentId} has no open bid on chain`
      : `No bid is selected for intent ${intentId}; its owner must select one first`,
  );
}

const amountsOf = ({ amount_in, amount_out, fee }: BidText) => ({
  amountIn: BigInt(amount_in),
  amountOut: BigInt(amount_out),
  fee: BigInt(fee),
});

/** An unrevoked attestation that an intent requires; 0 if it requires none. */
async function attestationFor(scope: Scope, { execution }: Intent): Promise<bigint> {
  const { required_attestation_subject: subject, required_attestation_schema: schema } = execution;
  if (subject === null && schema === null) return 0n;
  const { attestations: found } = await scope.read(attestations.list, {
    ...(subject !== null && { subject }),
    ...(schema !== null && { schema }),
    revoked: "false",
    limit: 1,
  });
  const [first] = found;
  if (!first) throw new NotFound("The attestation that the intent requires does not exist, or is revoked");
  return BigInt(first.attestation_id);
}

export const intentActions = {
  submitIntent: book("submitIntent", {
    title: "Prepares a swap intent: first to sign, then to send.",
    description: "Without `signature`, the answer has the typed data to sign and the input for the second call.",
    fields: intentFields,
    hidden: ["r", "s"],
    example: { from: alice, amount_in_max: "1,000 tUSD", amount_out_min: "990 tUSD", deadline: "2h" },
    async plan(input, scope) {
      const signable = await intentOf(input, scope);
      const described = await describeIntent(signable, scope);
      if (input.signature !== undefined)
        return {
          summary: `Submit ${described}.`,
          args: { intent: signable, ...signatureParts(input.signature) },
          next: {
            description: "Wait for bids of solvers, then select one.",
            action: "selectBid",
            input: { from: signable.owner },
          },
        };
      return {
        summary: `Sign ${described}.`,
        typedData: typedDataOf({
          domain: {
            name: "AgentIntentBook",
            version: "1",
            chainId: scope.context.config.chainId,
            verifyingContract: contractAt("IntentBook", scope),
          },
          types: intentTypes,
          primaryType: "Intent",
          message: signable,
        }),
        next: {
          description: `Sign typed_data with the key of ${signable.owner}, then prepare the same action with this input and the signature.`,
          action: "submitIntent",
          input: { from: scope.from, ...inputOf(signable) },
        },
      };
    },
  }),

  cancelIntent: book("cancelIntent", {
    title: "Prepares the cancellation of an intent.",
    example: { from: alice, intent_id: "5" },
    async plan({ intent_id }, scope) {
      const found = await readIntent(scope, intent_id);
      const [given, wanted] = await Promise.all([
        scope.money(BigInt(found.amount_in_max), found.input_token as Address),
        scope.money(BigInt(found.amount_out_min), found.output_token as Address),
      ]);
      return { summary: `Cancel intent ${intent_id}, which gives at most ${given} for at least ${wanted}.` };
    },
  }),

  submitBid: book("submitBid", {
    title: "Prepares a bid on an intent.",
    fields: {
      amount_in: amountTerm
        .optional()
        .openapi({ description: "What the solver takes. Default: all that the intent gives." }),
      amount_out: amountTerm.openapi({ description: "What the solver pays." }),
      fee: id.optional().openapi({ description: "An integer whose token the parties agree on. Default: 0." }),
      valid_until: timeTerm
        .optional()
        .openapi({ description: "Unix seconds or a duration. Default: the deadline of the intent." }),
      execution_hash: optionalHash(
        "The execution that the bid commits to. By default the one that the intent requires.",
      ),
    },
    example: { from: solver, intent_id: "5", amount_out: "970000000" },
    async plan(input, scope) {
      const { intent_id } = input;
      const found = await readIntent(scope, intent_id);
      const [inputToken, outputToken] = [found.input_token as Address, found.output_token as Address];
      const amountIn = await scope.amount(
        "amount_in",
        input.amount_in ?? { raw: BigInt(found.amount_in_max) },
        inputToken,
      );
      const amountOut = await scope.amount("amount_out", input.amount_out, outputToken);
      const fee = input.fee ?? 0n;
      const executionHash = input.execution_hash ?? (found.execution.data_hash as Hex | null) ?? zeroHash;
      const validUntil = input.valid_until ? scope.time(input.valid_until) : BigInt(found.deadline);
      const given = { amount: amountOut, token: outputToken };
      await scope.compareTrade(given, { amount: amountIn, token: inputToken }, "the solver");
      const offer = await describeBid(scope, found, { amountIn, amountOut, fee });
      return {
        summary: `Bid on intent ${intent_id} of ${found.owner}: pay ${offer}, valid until ${scope.until(validUntil)}${describeValues({ "execution hash": executionHash })}.`,
        args: { amountIn, amountOut, fee, validUntil, executionHash },
        next: {
          description: "Once the owner selects the bid, fill the intent before its deadline.",
          action: "fillIntent",
          input: { from: scope.from, intent_id: String(intent_id) },
        },
      };
    },
  }),

  selectBid: book("selectBid", {
    title: "Prepares the selection of a bid by the intent's owner.",
    fields: { bid_id: id.optional().openapi({ description: "Default: the best open bid on chain." }) },
    example: { from: alice, intent_id: "5", bid_id: "3" },
    async plan({ intent_id, bid_id }, scope) {
      const found = await readIntent(scope, intent_id);
      const chosen =
        bid_id === undefined ? await bestBid(scope, intent_id, "open") : await readBid(scope, `${intent_id}-${bid_id}`);
      const { solver, chain_bid_id, valid_until } = chosen;
      await scope.checkParticipant("solver", solver);
      const amounts = amountsOf(chosen);
      const given = { amount: amounts.amountIn, token: found.input_token as Address };
      await scope.compareTrade(given, { amount: amounts.amountOut, token: found.output_token as Address }, "the owner");
      const offer = await describeBid(scope, found, amounts);
      return {
        summary: `Select bid ${chain_bid_id} on intent ${intent_id}: the solver ${solver} pays ${offer}, valid until ${scope.until(BigInt(valid_until))}.`,
        args: { bidId: BigInt(chain_bid_id ?? 0) },
        next: { description: "The solver fills the intent. Follow its events.", action: null, input: null },
      };
    },
  }),

  fillIntent: book("fillIntent", {
    title: "Prepares the fill of an intent by its selected solver.",
    description: "The amounts are those of the selected bid.",
    fields: {
      execution_data: bytes.optional().openapi({ description: "Default: empty." }),
      result_hash: optionalHash("The hash of the result."),
      trace_hash: optionalHash("The hash of the trace."),
      attestation_id: id.optional().openapi({ description: "Default: one that the intent requires." }),
    },
    example: { from: solver, intent_id: "3" },
    async plan(input, scope) {
      const { intent_id } = input;
      const found = await readIntent(scope, intent_id);
      const selected = await bestBid(scope, intent_id, "selected");
      const { amountIn, amountOut, fee } = amountsOf(selected);
      const attestationId = input.attestation_id ?? (await attestationFor(scope, found));
      const offer = await describeBid(scope, found, { amountIn, amountOut, fee });
      const {
        execution_data: executionData = "0x",
        result_hash: resultHash = zeroHash,
        trace_hash: traceHash = zeroHash,
      } = input;
      const proof = attestationId === 0n ? "" : `, with attestation ${attestationId}`;
      const values = describeValues({
        "execution data": executionData,
        "result hash": resultHash,
        "trace hash": traceHash,
      });
      scope.until(BigInt(found.deadline));
      return {
        summary: `Fill intent ${intent_id} of ${found.owner} as ${selected.solver}: ${offer}${proof}, before ${formatTime(BigInt(found.deadline))}${values}. The contract records the fill; it moves no tokens.`,
        args: {
          fill: {
            amountIn,
            amountOut,
            solver: selected.solver as Address,
            executionData,
            resultHash,
            traceHash,
            attestationId,
          },
        },
      };
    },
  }),
};
