import { zeroAddress } from "viem";
import { beforeAll, describe, expect, it } from "vitest";
import { inChunks, readChain } from "../support/agreement/chain";
import { ask, askAll, type Item, type Parameters } from "../support/lists/asking";
import { type SampleStack, sampleStack } from "../support/shared-stack";
import { type ContractRows, contractRows } from "./documented/rows";
import { analyticsShapes, deviations, reputationShapes } from "./documented/shapes";

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

/** The dollars of receipts in the test dollar, whose price is 1 and which has 6 decimals. */
const dollarsOf = (receipts: readonly Item[]) => String(Number(sum(receipts, "amount")) / 1e6);

const byVolume = (one: Item, other: Item) => {
  const difference = BigInt(String(other.settled_volume)) - BigInt(String(one.settled_volume));
  return difference > 0n ? 1 : difference < 0n ? -1 : 0;
};

describe("documented counts and sums, on the sample chain", () => {
  let stack: SampleStack;
  let rows: ContractRows;

  beforeAll(async () => {
    stack = await sampleStack();
    rows = await contractRows(await readChain(stack));
  });

  const all = (path: string, parameters?: Parameters) => askAll(stack.apiUrl, { path }, parameters);
  const one = (address: string) => ask(stack.apiUrl, address);

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
      const total = (of: (intent: Item, fill: Item) => number) =>
        filled.reduce((sum, each) => sum + of(each, each.fill as Item), 0);
      const mean = (of: (intent: Item, fill: Item) => number) => (filled.length === 0 ? 0 : total(of) / filled.length);
      const latency = (intent: Item, fill: Item) => Number(fill.block_number) - Number(intent.block_number);
      const surplus = (intent: Item, fill: Item) => Number(fill.amount_out) - Number(intent.amount_out_min);
      expect(solver).toMatchObject({
        fills: String(filled.length),
        successful_fills: String(filled.length),
        failed_fills: String(failed.length),
        total_latency_blocks: String(total(latency)),
        total_surplus_out: String(total(surplus)),
      });
      expect(Number(solver.avg_latency_blocks)).toBeCloseTo(mean(latency), 6);
      expect(Number(solver.avg_surplus_out)).toBeCloseTo(mean(surplus), 6);
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
        // The only token of the sample is listed.
        if (part !== "unlisted_volume") expect(elements.length, part).toBeGreaterThan(0);
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

      /** The receipts grouped by a key, largest volume first. All are in the test dollar. */
      const ranking = (key: string, about: (value: unknown) => Item = (value) => ({ [key]: value }), of = receipts) =>
        groups(of, key)
          .map(([value, own]): Item => ({ ...about(value), ...volumeOf(own), settled_volume_usd: dollarsOf(own) }))
          .sort(byVolume);
      /** The number of buyers. Nobody buys from itself in the sample. */
      const withCounterparties = (key: string, items: readonly Item[]) =>
        items.map((item) => {
          const own = receipts.filter((receipt) => receipt[key] === item[key]);
          return { ...item, counterparties: String(groups(own, "agent").length) };
        });
      const find = (items: readonly Item[], key: string, value: unknown) =>
        items.find((item) => item[key] === value) ?? {};

      // The gateway reads prices in the background.
      await expect
        .poll(() => one("/analytics/commerce"))
        .toEqual({
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
            settled_volume_usd: dollarsOf(receipts),
            settled_protocol_fees: sum(receipts, "protocol_fee_amount"),
            disputes: String(disputes.length),
            open_disputes: count(disputes, "status", "OPEN"),
            resolved_disputes: count(disputes, "status", "RESOLVED"),
            rejected_disputes: count(disputes, "status", "REJECTED"),
          },
          volume_by_token: ranking("token", (token) => ({ token, listed: true })),
          unlisted_volume: [],
          top_merchants: withCounterparties(
            "merchant_id",
            ranking("merchant_id", (merchant_id) => ({
              merchant_id,
              owner: find(merchants, "merchant_id", merchant_id).owner,
            })),
          ),
          top_services: withCounterparties(
            "service_numeric_id",
            ranking("service_numeric_id", (service_numeric_id) => {
              const { service_id, merchant_id } = find(services, "service_numeric_id", service_numeric_id);
              return { service_numeric_id, service_id, merchant_id };
            }),
          ),
          facilitator_volume: withCounterparties(
            "facilitator",
            ranking(
              "facilitator",
              undefined,
              receipts.filter(({ facilitator }) => facilitator !== zeroAddress),
            ),
          ),
          volume_by_payment_rail: ranking("payment_rail"),
          trust_signals_by_kind: groups(signals, "kind")
            .map(([kind, own]) => ({ kind: Number(kind), signals: String(own.length) }))
            .sort((a, b) => a.kind - b.kind),
        });
    });
  });

  describe("GET /merchants/:id/reputation", () => {
    it("has the documented fields, and beside them a record and a score", async () => {
      for (const { merchantId } of rows.merchant) {
        const { record, score, ...reputation } = await one(`/merchants/${merchantId}/reputation`);
        expect([record, score]).toEqual([expect.any(Object), expect.any(Object)]);
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
        const { record, score, ...reputation } = await one(`/merchants/${merchant_id}/reputation`);
        expect(reputation).toEqual({
          merchant: await one(`/merchants/${merchant_id}`),
          commerce: {
            receipts: String(receipts.length),
            settled_volume: sum(receipts, "amount"),
            fulfilled_receipts: String(receipts.filter(({ fulfillment_hash }) => fulfillment_hash !== null).length),
            settlement_receipts: count(receipts, "payment_proof", "settlement"),
            facilitator_receipts: count(receipts, "payment_proof", "facilitator"),
            claim_receipts: count(receipts, "payment_proof", "claim"),
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
});
