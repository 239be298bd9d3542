import { disputeStatuses } from "../../ponder.schema";
import { operation, z } from "../core/operation";
import { addressText, chainText, decimalText, uintText } from "../core/outputs";
import { PaymentRail } from "./quotes";
import { type CommerceRow, type overall, type rankings, selectCommerce, TOP } from "./rankings/commerce";
import { SignalsOfKind } from "./trust-signals";

const volume = { receipts: uintText, settled_volume: uintText, protocol_fees: uintText };
const ranked = { ...volume, settled_volume_usd: decimalText };
const trading = { ...ranked, counterparties: uintText };

const Analytics = z
  .strictObject({
    summary: z.strictObject({
      merchants: uintText,
      active_merchants: uintText,
      services: uintText,
      active_services: uintText,
      facilitators: uintText,
      active_facilitators: uintText,
      quotes: uintText,
      settled_quotes: uintText,
      quoted_volume: uintText,
      quoted_protocol_fees: uintText,
      receipts: uintText,
      settled_volume: uintText,
      settled_volume_usd: decimalText,
      settled_protocol_fees: uintText,
      disputes: uintText,
      open_disputes: uintText,
      resolved_disputes: uintText,
      rejected_disputes: uintText,
    }),
    volume_by_token: z.array(z.strictObject({ token: addressText, listed: z.boolean(), ...ranked })),
    unlisted_volume: z.array(z.strictObject({ token: addressText, ...volume })),
    top_merchants: z.array(z.strictObject({ merchant_id: uintText, owner: addressText.nullable(), ...trading })),
    top_services: z.array(
      z.strictObject({
        service_numeric_id: uintText,
        service_id: chainText.nullable(),
        merchant_id: uintText.nullable(),
        ...trading,
      }),
    ),
    facilitator_volume: z.array(z.strictObject({ facilitator: addressText, ...trading })),
    volume_by_payment_rail: z.array(z.strictObject({ payment_rail: PaymentRail, ...ranked })),
    trust_signals_by_kind: z.array(SignalsOfKind),
  })
  .openapi("CommerceAnalytics");

const volumeOf = (row: CommerceRow) => ({
  receipts: String(row.count),
  settled_volume: String(row.volume),
  protocol_fees: String(row.protocolFees),
});

const rankedOf = (row: CommerceRow) => ({ ...volumeOf(row), settled_volume_usd: row.dollars });

const tradingOf = (row: CommerceRow) => ({ ...rankedOf(row), counterparties: row.counterparties });

const sumOf = <Row>(rows: readonly Row[], of: (row: Row) => bigint | number) =>
  String(rows.reduce((sum, row) => sum + BigInt(of(row)), 0n));

const getCommerceAnalytics = operation({
  route: "GET /analytics/commerce",
  summary: "Commerce totals and rankings.",
  description:
    "Totals of the whole registry, and its largest tokens, merchants, services, facilitators and payment rails by dollars of listed tokens, then by counterparties, then by receipts.",
  input: z.object({}),
  output: Analytics,
  example: {},
  dependsOn: ["index", "store"],
  async run(context) {
    await context.store();
    const { chainId, listed } = context.config;
    const totals = await selectCommerce(context.db, { chainId, listed: [...listed.keys()] });
    const candidates = (subject: (typeof rankings)[number]) => totals.filter((row) => row.subject === subject);
    const ranking = (subject: (typeof rankings)[number]) => candidates(subject).slice(0, TOP);
    const all = (subject: (typeof overall)[number], key = "") =>
      totals.find((row) => row.subject === subject && row.key === key);
    const counts = (subject: "merchants" | "services" | "facilitators") => {
      const row = all(subject);
      return { count: String(row?.count ?? 0), active: String(row?.active ?? 0) };
    };
    const [m, s, f] = [counts("merchants"), counts("services"), counts("facilitators")];
    const quoted = all("quotes");
    const rails = ranking("receipts_by_payment_rail");
    const tokens = candidates("receipts_by_token");
    const unlisted = tokens.filter((row) => !row.listed);
    const disputes = disputeStatuses.map((status) => all("disputes_by_status", status)?.count ?? 0);
    const [open = 0, resolved = 0, rejected = 0] = disputes;
    return {
      summary: {
        merchants: m.count,
        active_merchants: m.active,
        services: s.count,
        active_services: s.active,
        facilitators: f.count,
        active_facilitators: f.active,
        quotes: String(quoted?.count ?? 0),
        settled_quotes: String(quoted?.settled ?? 0),
        quoted_volume: String(quoted?.volume ?? 0),
        quoted_protocol_fees: String(quoted?.protocolFees ?? 0),
        // Every receipt has one of four payment rails, so the ranking by rail covers all receipts.
        receipts: sumOf(rails, (row) => row.count),
        settled_volume: sumOf(rails, (row) => row.volume),
        settled_volume_usd: tokens[0]?.dollarsOfSubject ?? "0",
        settled_protocol_fees: sumOf(rails, (row) => row.protocolFees),
        disputes: String(open + resolved + rejected),
        open_disputes: String(open),
        resolved_disputes: String(resolved),
        rejected_disputes: String(rejected),
      },
      volume_by_token: tokens.slice(0, TOP).map((row) => ({ token: row.key, listed: row.listed, ...rankedOf(row) })),
      unlisted_volume: unlisted.slice(0, TOP).map((row) => ({ token: row.key, ...volumeOf(row) })),
      top_merchants: ranking("receipts_by_merchant").map((row) => ({
        merchant_id: row.key,
        owner: row.owner,
        ...tradingOf(row),
      })),
      top_services: ranking("receipts_by_service").map((row) => ({
        service_numeric_id: row.key,
        service_id: row.serviceId,
        merchant_id: row.merchantId,
        ...tradingOf(row),
      })),
      facilitator_volume: ranking("receipts_by_facilitator").map((row) => ({
        facilitator: row.key,
        ...tradingOf(row),
      })),
      volume_by_payment_rail: rails.map((row) => ({ payment_rail: Number(row.key), ...rankedOf(row) })),
      trust_signals_by_kind: totals
        .filter(({ subject, count }) => subject === "signals_by_kind" && count > 0)
        .map(({ key, count }) => ({ kind: Number(key), signals: String(count) }))
        .sort((a, b) => a.kind - b.kind),
    };
  },
});

export const commerceAnalytics = { commerce: getCommerceAnalytics };
