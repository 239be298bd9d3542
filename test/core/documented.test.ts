import { type Hex, keccak256, stringToBytes, zeroAddress, zeroHash } from "viem";
import { beforeAll, describe, expect, it } from "vitest";
import { operations } from "../../api/operations/index";
import { LOCAL_CHAIN_ID } from "../../config/networks";
import { inChunks, lower, readChain } from "../support/agreement/chain";
import { addressOf, ask, askAll, type Item, type Parameters } from "../support/lists/asking";
import { type SampleStack, sampleStack } from "../support/shared-stack";
import { type ContractRows, contractRows, distinct } from "./documented/rows";
import { deviations, shapes } from "./documented/shapes";

const camelCase = (key: string) => key.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** An item with its keys in camel case, like the columns. */
const asRow = (item: Item): Item =>
  Object.fromEntries(Object.entries(item).map(([key, value]) => [camelCase(key), value]));

/** What the sample stack's published examples add to the rows of the index. */
const { example } = operations.intents.putMetadata;
const noMetadata = { execution_data: null, required_attestation_subject: null, required_attestation_schema: null };
const publishedEvidence = keccak256(
  stringToBytes(operations.documents.publishFulfillmentEvidence.example.fulfillment_evidence_json),
);

describe("the documented responses, on the sample chain", () => {
  let stack: SampleStack;
  let rows: ContractRows;

  beforeAll(async () => {
    stack = await sampleStack();
    rows = await contractRows(await readChain(stack));
  }, 180_000);

  const all = (path: string, parameters?: Parameters) => askAll(stack.apiUrl, { path }, parameters);
  const one = (address: string) => ask(stack.apiUrl, address);

  /** The concatenated lists for all values of a required parameter, such as the owner. */
  const allOfEach = async (path: string, parameters: readonly Parameters[]) =>
    (await inChunks(parameters, (each) => all(path, each))).flat();

  type Resource = {
    name: keyof typeof shapes & keyof ContractRows;
    list: () => Promise<Item[]>;
    /** The route of a single item, and the key of its path parameter. */
    single?: [path: string, parameter: string, key: string];
    /** Fields that the index derives. Each has its own test below. */
    derived?: string[];
  };

  const resources: Resource[] = [
    {
      name: "agent",
      list: () =>
        allOfEach(
          "/agents",
          distinct(rows.agent.map(({ owner }) => owner)).map((owner) => ({ owner })),
        ),
      single: ["/agents/{agentId}", "agentId", "agent_id"],
    },
    {
      name: "quote",
      list: () => all("/quotes"),
      single: ["/quotes/{quoteHash}", "quoteHash", "quote_hash"],
      derived: ["amount_usd"],
    },
    {
      name: "attestation",
      list: () => allOfEach("/attestations", [{ revoked: "true" }, { revoked: "false" }]),
      single: ["/attestations/{id}", "id", "attestation_id"],
    },
    {
      name: "solver",
      list: () => all("/solvers"),
      single: ["/solvers/{id}", "id", "solver_id"],
      derived: [
        "fills",
        "successful_fills",
        "failed_fills",
        "avg_latency_blocks",
        "avg_surplus_out",
        "total_latency_blocks",
        "total_surplus_out",
      ],
    },
    {
      name: "attestor",
      list: () => all("/attestors"),
      single: ["/attestors/{id}", "id", "attestor_id"],
      derived: ["attestations", "revoked_attestations"],
    },
    { name: "merchant", list: () => all("/merchants"), single: ["/merchants/{id}", "id", "merchant_id"] },
    { name: "service", list: () => all("/services"), single: ["/services/{id}", "id", "service_numeric_id"] },
    {
      name: "facilitator",
      list: () => all("/facilitators"),
      single: ["/facilitators/{id}", "id", "facilitator_id"],
    },
    {
      name: "receipt",
      list: () => all("/receipts"),
      single: ["/receipts/{id}", "id", "receipt_id"],
      derived: ["amount_usd"],
    },
    { name: "dispute", list: () => all("/disputes"), single: ["/disputes/{id}", "id", "dispute_id"] },
    { name: "trustSignal", list: () => all("/trust-signals") },
  ];

  describe.each(resources)("$name", ({ name, list, single, derived = [] }) => {
    it("has the documented fields and no others", async () => {
      const items = await list();
      expect(items.length).toBe(rows[name].length);
      expect(items.flatMap((item) => deviations(item, shapes[name]))).toEqual([]);
    });

    it("agrees with the contracts", async () => {
      for (const item of await list()) {
        const own = Object.fromEntries(
          Object.entries(asRow(item)).filter(([key]) => !derived.map(camelCase).includes(key)),
        );
        const identified = rows[name].filter((row: Item) =>
          Object.entries(own).every(([key, value]) => row[key] === value),
        );
        expect(identified, JSON.stringify(own)).toHaveLength(1);
      }
    });

    it.runIf(single)("is the same as a single item and in its list", async () => {
      const [path = "", parameter = "", key = ""] = single ?? [];
      for (const item of await list()) {
        // Only single receipts link their evidence.
        const { fulfillment_evidence, ...same } = await one(addressOf(path, { [parameter]: String(item[key]) }));
        expect(same).toEqual(item);
        const isPublished = item.fulfillment_hash === publishedEvidence;
        expect(fulfillment_evidence ?? null).toEqual(
          isPublished ? expect.objectContaining({ evidence_hash: publishedEvidence }) : null,
        );
      }
    });
  });

  describe("intent", () => {
    it("has the documented fields and no others", async () => {
      const intents = await all("/intents");
      expect(intents).toHaveLength(rows.intent.length);
      for (const intent of intents) {
        expect(deviations(intent, shapes.intent)).toEqual([]);
        expect(deviations(intent.execution, shapes.execution)).toEqual([]);
        if (intent.status === "FILLED") expect(deviations(intent.fill, shapes.fill)).toEqual([]);
        else expect(intent.fill).toBeNull();
        expect(await one(`/intents/${intent.intent_id}`)).toEqual(intent);
      }
    });

    it("agrees with the intent book", async () => {
      const { timestamp } = await stack.client.getBlock();
      const unlessZero = (value: Hex) => (value === zeroHash || value === zeroAddress ? null : lower(value));
      for (const intent of await all("/intents")) {
        const id = BigInt(String(intent.intent_id));
        const { constraints, execution, ...signed } = await stack.read("IntentBook", "getIntent", [id]);
        const stored = ["OPEN", "FILLED", "CANCELLED"][await stack.read("IntentBook", "getIntentStatus", [id])];
        const row = rows.intent.find(({ intentId }) => intentId === intent.intent_id);
        expect(intent).toMatchObject({
          owner: lower(signed.owner),
          intent_type: "SWAP_EXACT_IN_MAX_SLIPPAGE",
          input_token: lower(signed.inputToken),
          output_token: lower(signed.outputToken),
          amount_in_max: String(constraints.amountInMax),
          amount_out_min: String(constraints.amountOutMin),
          deadline: String(constraints.deadline),
          slippage_bps: String(constraints.slippageBps),
          nonce: String(signed.nonce),
          status: stored === "OPEN" && timestamp >= constraints.deadline ? "EXPIRED" : stored,
          execution: {
            target: unlessZero(execution.target),
            data_hash: unlessZero(execution.dataHash),
            required_attestation_subject: unlessZero(execution.requiredAttestationSubject),
            required_attestation_schema: unlessZero(execution.requiredAttestationSchema),
            metadata_uri_hash: unlessZero(execution.metadataURIHash),
          },
          metadata: id === BigInt(example.id) ? { ...noMetadata, execution_target: example.execution_target } : null,
          intent_hash: row?.intentHash,
          submitted_at: row?.submittedAt,
          block_number: row?.blockNumber,
          tx_hash: row?.txHash,
        });
      }
    });

    it("has the logged fill and proof", async () => {
      const filled = await all("/intents", { status: "filled" });
      expect(filled.map(({ intent_id }) => intent_id).sort()).toEqual(rows.fill.map(({ intentId }) => intentId).sort());
      for (const { intent_id, fill } of filled) {
        const row = rows.fill.find(({ intentId }) => intentId === intent_id);
        const proof = rows.fillProof.find(({ intentId }) => intentId === intent_id);
        const { amountInUsd, amountOutUsd, ...logged } = asRow(fill as Item);
        expect(logged).toEqual({
          ...row,
          ...proof,
          bidId: `${intent_id}-${row?.bidId}`,
          intentId: undefined,
          // Those of the intent.
          ...{ owner: undefined, inputToken: undefined, outputToken: undefined },
        });
      }
    });

    it("has every status", async () => {
      const states = (await all("/intents")).map(({ status }) => String(status));
      expect(distinct(states).sort()).toEqual(["CANCELLED", "EXPIRED", "FILLED", "OPEN"]);
    });
  });

  describe("bid", () => {
    /** Those on chain. Other files publish bids. */
    const bidsOf = async (id: string) =>
      (await all("/intents/{id}/bids", { id })).filter(({ chain_bid_id }) => chain_bid_id !== null);

    it("has the documented fields and no others", async () => {
      const bids = (await inChunks(rows.intent, ({ intentId }) => bidsOf(intentId))).flat();
      expect(bids).toHaveLength(rows.bid.length);
      expect(bids.flatMap((bid) => deviations(bid, shapes.bid))).toEqual([]);
    });

    it("agrees with the intent book", async () => {
      const { timestamp } = await stack.client.getBlock();
      for (const { intentId, selectedBidId } of rows.intent)
        for (const bid of await bidsOf(intentId)) {
          const bidId = String(bid.chain_bid_id);
          const { solver, selected, ...offer } = await stack.read("IntentBook", "getBid", [
            BigInt(intentId),
            BigInt(bidId),
          ]);
          const selection = rows.bidSelection.find((row) => row.intentId === intentId && row.bidId === bidId);
          const row = rows.bid.find((made) => made.intentId === intentId && made.bidId === bidId);
          const intent = rows.intent.find((submitted) => submitted.intentId === intentId);
          expect(selected).toBe(selectedBidId === bidId);
          const { amount_in_usd, amount_out_usd, price, surplus_bps, surplus_usd, ...offered } = bid;
          expect(offered).toEqual({
            bid_id: `${intentId}-${bidId}`,
            chain_bid_id: bidId,
            intent_id: intentId,
            solver: lower(solver),
            input_token: intent?.inputToken,
            output_token: intent?.outputToken,
            amount_in: String(offer.amountIn),
            amount_out: String(offer.amountOut),
            fee: String(offer.fee),
            valid_until: String(offer.validUntil),
            execution_hash: offer.executionHash,
            execution_plan: null,
            status: selected ? "SELECTED" : selection ? "REJECTED" : timestamp > offer.validUntil ? "EXPIRED" : "OPEN",
            source: "onchain",
            block_number: row?.blockNumber,
            tx_hash: row?.txHash,
            created_at: row?.createdAt,
            selected_at: selection?.selectedAt ?? null,
          });
        }
    });
  });

  it("GET /health returns the status in the formats of both documents", async () => {
    expect(await one("/health")).toEqual({
      status: "ok",
      ok: true,
      service: expect.any(String),
      name: expect.any(String),
      x402DevBypass: false,
    });
  });

  it("GET /ready returns the index head", async () => {
    const head = String(await stack.client.getBlockNumber());
    expect(await one("/ready")).toEqual({
      ready: true,
      chain_id: LOCAL_CHAIN_ID,
      block_number: head,
      chain_block_number: head,
      lag_blocks: "0",
      lag_seconds: 0,
      progress: 1,
      eta_seconds: 0,
      store: "ok",
      unpaid_payments: 0,
      reason: null,
      reasons: [],
    });
  });
});
