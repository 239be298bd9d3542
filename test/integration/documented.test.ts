import { type Hex, parseEventLogs, zeroAddress, zeroHash } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { contractNames, protocolAbis } from "../../config/contracts";
import { LOCAL_CHAIN_ID } from "../../config/networks";
import { type Chain, inChunks, lower, readChain } from "./agreement/chain";
import { commerceRows } from "./agreement/commerce";
import { intentRows } from "./agreement/intents";
import { policyRows } from "./agreement/policies";
import { registryRows } from "./agreement/registries";
import { analyticsShapes, deviations, policyShapes, reputationShapes, shapes } from "./documented/shapes";
import { addressOf, ask, askAll, type Item, type Parameters } from "./lists/asking";
import { type Stack, startStack } from "./stack";

type Rows = Awaited<ReturnType<typeof rowsOf>>;

/** The state of the contracts, read with their getters. */
const rowsOf = async (chain: Chain) => ({
  ...(await registryRows(chain)),
  ...(await intentRows(chain)),
  ...(await policyRows(chain)),
  ...(await commerceRows(chain)),
});

const camelCase = (key: string) => key.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** An item with its keys in camel case, like the columns. */
const asRow = (item: Item): Item =>
  Object.fromEntries(Object.entries(item).map(([key, value]) => [camelCase(key), value]));

const sum = (items: readonly Item[], key: string) =>
  String(items.reduce((total, item) => total + BigInt(String(item[key])), 0n));

/** The number of items with this value, as a decimal string. */
const count = (items: readonly Item[], key: string, value: unknown) =>
  String(items.filter((item) => item[key] === value).length);

/** Groups items by the value of a key. */
function groups(items: readonly Item[], key: string): [unknown, Item[]][] {
  const found = new Map<unknown, Item[]>();
  for (const item of items) found.set(item[key], [...(found.get(item[key]) ?? []), item]);
  return [...found];
}

const volumeOf = (receipts: readonly Item[]) => ({
  receipts: String(receipts.length),
  settled_volume: sum(receipts, "amount"),
  protocol_fees: sum(receipts, "protocol_fee_amount"),
});

const byVolume = (one: Item, other: Item) => {
  const difference = BigInt(String(other.settled_volume)) - BigInt(String(one.settled_volume));
  return difference > 0n ? 1 : difference < 0n ? -1 : 0;
};

describe("the documented responses, on the sample chain", () => {
  let stack: Stack;
  let rows: Rows;

  beforeAll(async () => {
    stack = await startStack({ sample: true });
    rows = await rowsOf(await readChain(stack));
  }, 180_000);
  afterAll(() => stack?.stop());

  const all = (path: string, parameters?: Parameters) => askAll(stack.apiUrl, { path }, parameters);
  const one = (address: string) => ask(stack.apiUrl, address);

  /** The concatenated lists for all values of a required parameter, such as the owner. */
  const allOfEach = async (path: string, parameters: readonly Parameters[]) =>
    (await inChunks(parameters, (each) => all(path, each))).flat();

  const distinct = (values: readonly string[]) => [...new Set(values)];

  type Resource = {
    name: keyof typeof shapes & keyof Rows;
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
    { name: "quote", list: () => all("/quotes"), single: ["/quotes/{quoteHash}", "quoteHash", "quote_hash"] },
    {
      name: "attestation",
      list: () => allOfEach("/attestations", [{ revoked: "true" }, { revoked: "false" }]),
      single: ["/attestations/{id}", "id", "attestation_id"],
    },
    {
      name: "solver",
      list: () => all("/solvers"),
      single: ["/solvers/{id}", "id", "solver_id"],
      derived: ["fills", "successful_fills", "failed_fills", "avg_latency_blocks", "avg_surplus_out"],
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
    { name: "receipt", list: () => all("/receipts"), single: ["/receipts/{id}", "id", "receipt_id"] },
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
      for (const item of await list())
        expect(await one(addressOf(path, { [parameter]: String(item[key]) }))).toEqual(item);
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
          metadata: null,
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
        expect(asRow(fill as Item)).toEqual({
          ...row,
          ...proof,
          bidId: `${intent_id}-${row?.bidId}`,
          intentId: undefined,
        });
      }
    });

    it("has every status", async () => {
      const states = (await all("/intents")).map(({ status }) => String(status));
      expect(distinct(states).sort()).toEqual(["CANCELLED", "EXPIRED", "FILLED", "OPEN"]);
    });
  });

  describe("bid", () => {
    const bidsOf = (id: string) => all("/intents/{id}/bids", { id });

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
          const wasSelected = rows.bidSelection.some((row) => row.intentId === intentId && row.bidId === bidId);
          const row = rows.bid.find((made) => made.intentId === intentId && made.bidId === bidId);
          expect(selected).toBe(selectedBidId === bidId);
          expect(bid).toEqual({
            bid_id: `${intentId}-${bidId}`,
            chain_bid_id: bidId,
            intent_id: intentId,
            solver: lower(solver),
            amount_in: String(offer.amountIn),
            amount_out: String(offer.amountOut),
            fee: String(offer.fee),
            valid_until: String(offer.validUntil),
            execution_hash: offer.executionHash,
            execution_plan: null,
            status: selected
              ? "SELECTED"
              : wasSelected
                ? "REJECTED"
                : timestamp > offer.validUntil
                  ? "EXPIRED"
                  : "OPEN",
            source: "onchain",
            block_number: row?.blockNumber,
            tx_hash: row?.txHash,
            created_at: row?.createdAt,
          });
        }
    });
  });

  describe("policy", () => {
    const accounts = () => distinct(rows.policy.map(({ account }) => account));
    const policiesOf = (account: string) => ask<Item>(stack.apiUrl, `/accounts/${account}/policies?limit=100`);

    it("has the documented fields of its type and no others", async () => {
      const seen = new Set<string>();
      for (const account of accounts()) {
        const { policies, ...rest } = await policiesOf(account);
        expect(rest).toMatchObject({ account });
        for (const policy of policies as Item[]) {
          seen.add(String(policy.policy_type));
          expect(deviations(policy, policyShapes[String(policy.policy_type)] ?? {})).toEqual([]);
        }
      }
      expect([...seen].sort()).toEqual(Object.keys(policyShapes).sort());
    });

    it("agrees with the policy module", async () => {
      const { timestamp } = await stack.client.getBlock();
      const expected = (row: Rows["policy"][number]): Item => {
        const [first, second, third] = row.key.split("-");
        const common = { policy_type: row.policyType, block_number: row.blockNumber };
        const resetsAt = BigInt(row.lastReset ?? 0) + 86_400n;
        const isOpen = timestamp < resetsAt;
        switch (row.policyType) {
          case "SPEND_LIMIT":
            return {
              ...common,
              token: first,
              max_per_day: row.maxPerDay,
              spent_today: isOpen ? row.spentToday : "0",
              window_resets_at: isOpen ? String(resetsAt) : null,
            };
          case "PAYMENT_POLICY":
            return {
              ...common,
              merchant: first,
              token: second,
              facilitator: third,
              max_per_payment: row.maxPerPayment,
              max_per_day: row.maxPerDay,
              allowed: row.enabled,
            };
          case "TARGET_ALLOWLIST":
            return { ...common, target: first, allowed: row.enabled };
          case "FUNCTION_ALLOWLIST":
            return { ...common, target: first, selector: second, allowed: row.enabled };
          case "FUNCTION_ALLOWLIST_MODE":
            return { ...common, enabled: row.enabled };
          case "GUARDIAN":
            return { ...common, guardian: row.guardian };
          case "ACCOUNT_FROZEN":
            return { ...common, frozen: row.enabled };
        }
      };
      for (const account of accounts()) {
        const own = rows.policy.filter((row) => row.account === account);
        const { policies } = await policiesOf(account);
        expect(policies).toHaveLength(own.length);
        expect(policies).toEqual(expect.arrayContaining(own.map(expected)));
      }
    });
  });

  it("has the counts and averages of solvers that follow from the fills", async () => {
    const intents = await all("/intents");
    for (const solver of await all("/solvers")) {
      const filled = intents.filter(({ fill }) => (fill as Item | null)?.solver === solver.operator);
      const selected = rows.intent.filter(({ selectedSolver }) => selectedSolver === solver.operator);
      const failed = selected.filter(({ intentId }) =>
        intents.some(
          ({ intent_id, status }) => intent_id === intentId && ["EXPIRED", "CANCELLED"].includes(String(status)),
        ),
      );
      const mean = (of: (intent: Item, fill: Item) => number) =>
        filled.length === 0
          ? 0
          : filled.reduce((total, each) => total + of(each, each.fill as Item), 0) / filled.length;
      expect(solver).toMatchObject({
        fills: String(filled.length),
        successful_fills: String(filled.length),
        failed_fills: String(failed.length),
      });
      expect(Number(solver.avg_latency_blocks)).toBeCloseTo(
        mean((intent, fill) => Number(fill.block_number) - Number(intent.block_number)),
        6,
      );
      expect(Number(solver.avg_surplus_out)).toBeCloseTo(
        mean((intent, fill) => Number(fill.amount_out) - Number(intent.amount_out_min)),
        6,
      );
      expect(filled.length + failed.length).toBeGreaterThan(0);
    }
  });

  it("has the counts of attestors that follow from the attestations", async () => {
    for (const attestor of await all("/attestors")) {
      const own = await all("/attestations", { attester: String(attestor.operator) });
      expect(attestor).toMatchObject({
        attestations: String(own.length),
        revoked_attestations: count(own, "revoked", true),
      });
    }
  });

  describe("GET /analytics/commerce", () => {
    it("has the documented fields and no others", async () => {
      const analytics = await one("/analytics/commerce");
      expect(Object.keys(analytics).sort()).toEqual(Object.keys(analyticsShapes).sort());
      for (const [part, shape] of Object.entries(analyticsShapes)) {
        const elements = [analytics[part]].flat();
        expect(elements.length, part).toBeGreaterThan(0);
        expect(elements.flatMap((element) => deviations(element, shape))).toEqual([]);
      }
    });

    it("equals the sums over the lists", async () => {
      const [merchants, services, facilitators] = [
        await all("/merchants"),
        await all("/services"),
        await all("/facilitators"),
      ];
      const [quotes, receipts, disputes] = [await all("/quotes"), await all("/receipts"), await all("/disputes")];
      const signals = await all("/trust-signals");

      /** The receipts grouped by a key, largest volume first. */
      const ranking = (key: string, about: (value: unknown) => Item = (value) => ({ [key]: value }), of = receipts) =>
        groups(of, key)
          .map(([value, own]): Item => ({ ...about(value), ...volumeOf(own) }))
          .sort(byVolume);
      const find = (items: readonly Item[], key: string, value: unknown) =>
        items.find((item) => item[key] === value) ?? {};

      expect(await one("/analytics/commerce")).toEqual({
        summary: {
          merchants: String(merchants.length),
          active_merchants: count(merchants, "active", true),
          services: String(services.length),
          active_services: count(services, "active", true),
          facilitators: String(facilitators.length),
          active_facilitators: count(facilitators, "active", true),
          quotes: String(quotes.length),
          settled_quotes: count(quotes, "settled", true),
          quoted_volume: sum(quotes, "amount"),
          quoted_protocol_fees: sum(quotes, "protocol_fee_amount"),
          receipts: String(receipts.length),
          settled_volume: sum(receipts, "amount"),
          settled_protocol_fees: sum(receipts, "protocol_fee_amount"),
          disputes: String(disputes.length),
          open_disputes: count(disputes, "status", "OPEN"),
          resolved_disputes: count(disputes, "status", "RESOLVED"),
          rejected_disputes: count(disputes, "status", "REJECTED"),
        },
        volume_by_token: ranking("token"),
        top_merchants: ranking("merchant_id", (merchant_id) => ({
          merchant_id,
          owner: find(merchants, "merchant_id", merchant_id).owner,
        })),
        top_services: ranking("service_numeric_id", (service_numeric_id) => {
          const { service_id, merchant_id } = find(services, "service_numeric_id", service_numeric_id);
          return { service_numeric_id, service_id, merchant_id };
        }),
        facilitator_volume: ranking(
          "facilitator",
          undefined,
          receipts.filter(({ facilitator }) => facilitator !== zeroAddress),
        ),
        volume_by_payment_rail: ranking("payment_rail"),
        trust_signals_by_kind: groups(signals, "kind")
          .map(([kind, own]) => ({ kind: Number(kind), signals: String(own.length) }))
          .sort((a, b) => a.kind - b.kind),
      });
    });
  });

  describe("GET /merchants/:id/reputation", () => {
    it("has the documented fields and no others", async () => {
      for (const { merchantId } of rows.merchant) {
        const reputation = await one(`/merchants/${merchantId}/reputation`);
        expect(Object.keys(reputation).sort()).toEqual(Object.keys(reputationShapes).sort());
        for (const [part, shape] of Object.entries(reputationShapes))
          expect([reputation[part]].flat().flatMap((element) => deviations(element, shape))).toEqual([]);
      }
    });

    it("equals the sums over the merchant's lists", async () => {
      for (const { merchantId: merchant_id } of rows.merchant) {
        const receipts = await all("/receipts", { merchant_id });
        const disputes = (
          await inChunks(receipts, (receipt) => all("/disputes", { receipt_id: String(receipt.receipt_id) }))
        ).flat();
        const signals = await all("/trust-signals", { subject_type: "0", subject_id: merchant_id });
        expect(await one(`/merchants/${merchant_id}/reputation`)).toEqual({
          merchant: await one(`/merchants/${merchant_id}`),
          commerce: {
            receipts: String(receipts.length),
            settled_volume: sum(receipts, "amount"),
            fulfilled_receipts: String(receipts.filter(({ fulfillment_hash }) => fulfillment_hash !== null).length),
          },
          disputes: {
            disputes: String(disputes.length),
            open_disputes: count(disputes, "status", "OPEN"),
            resolved_disputes: count(disputes, "status", "RESOLVED"),
            rejected_disputes: count(disputes, "status", "REJECTED"),
          },
          trust_signals_by_kind: groups(signals, "kind")
            .map(([kind, own]) => ({ kind: Number(kind), signals: String(own.length) }))
            .sort((a, b) => a.kind - b.kind),
        });
      }
    });
  });

  describe("GET /tx/:hash/explain", () => {
    const protocolAbi = contractNames.flatMap((name) => [...protocolAbis[name]]);

    /** Every protocol event except OpenZeppelin's own, which is never emitted. */
    const everyEvent = distinct(protocolAbi.flatMap((item) => (item.type === "event" ? [item.name] : []))).filter(
      (name) => name !== "EIP712DomainChanged",
    );

    /** An argument as JSON. */
    const written = (value: unknown) =>
      typeof value === "bigint"
        ? String(value)
        : typeof value === "string" && /^0x/.test(value)
          ? value.toLowerCase()
          : value;

    async function transactions(): Promise<Hex[]> {
      const head = await stack.client.getBlockNumber();
      const numbers = Array.from({ length: Number(head) + 1 }, (_, index) => BigInt(index));
      const blocks = await inChunks(numbers, (blockNumber) => stack.client.getBlock({ blockNumber }));
      return blocks.flatMap((block) => block.transactions);
    }

    it("explains every transaction of the chain, with its events in the order of their logs", async () => {
      const addresses = contractNames.map((name) => lower(stack.contracts[name]));
      const described = new Set<string>();
      for (const hash of await transactions()) {
        const receipt = await stack.client.getTransactionReceipt({ hash });
        const logs = parseEventLogs({
          abi: protocolAbi,
          logs: receipt.logs.filter(({ address }) => addresses.includes(lower(address))),
        }).sort((a, b) => a.logIndex - b.logIndex);
        const response = await fetch(`${stack.apiUrl}/tx/${hash}/explain`);
        const explanation = (await response.json()) as Item & { events: Item[] };
        if (logs.length === 0) {
          expect([response.status, Object.keys(explanation)]).toEqual([404, ["error"]]);
          continue;
        }
        const { events, ...rest } = explanation;
        expect(rest).toEqual({
          tx_hash: hash,
          block_number: String(receipt.blockNumber),
          summary: `Transaction contained ${logs.length} event(s)`,
        });
        expect(events.map(({ eventName, args }) => ({ eventName, args }))).toEqual(
          logs.map(({ eventName, args }) => ({
            eventName,
            args: Object.fromEntries(Object.entries(args as Item).map(([name, value]) => [name, written(value)])),
          })),
        );
        for (const event of events) {
          expect(Object.keys(event).sort()).toEqual(["args", "description", "eventName"]);
          // The first argument is the subject: an id, a hash or an account.
          const [about] = Object.values(event.args as Item);
          expect(event.description).toContain(String(about));
          described.add(String(event.eventName));
        }
      }
      expect([...described].sort()).toEqual([...everyEvent].sort());
    });

    it("names the intent and its submitter", async () => {
      const [intent] = await all("/intents");
      const { events } = await ask<{ events: Item[] }>(stack.apiUrl, `/tx/${intent?.tx_hash}/explain`);
      expect(events).toEqual([
        {
          eventName: "IntentSubmitted",
          args: { intentId: intent?.intent_id, owner: intent?.owner, nonce: intent?.nonce },
          description: `Intent #${intent?.intent_id} submitted by ${intent?.owner} with nonce ${intent?.nonce}`,
        },
      ]);
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
