import { desc, eq, inArray, sql } from "drizzle-orm";
import { unionAll } from "drizzle-orm/pg-core";
import { disputeStatuses, merchant, service, total, type totalSubjects } from "../../ponder.schema";
import { operation, z } from "../core/operation";
import { addressText, chainText, uintText } from "../core/outputs";
import { preparedQuery } from "../indexed/prepared-query";
import { PaymentRail } from "./quotes";
import { SignalsOfKind } from "./trust-signals";

/** The number of rows per ranking. */
const TOP = 20;

const volume = { receipts: uintText, settled_volume: uintText, protocol_fees: uintText };

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
      settled_protocol_fees: uintText,
      disputes: uintText,
      open_disputes: uintText,
      resolved_disputes: uintText,
      rejected_disputes: uintText,
    }),
    volume_by_token: z.array(z.strictObject({ token: addressText, ...volume })),
    top_merchants: z.array(z.strictObject({ merchant_id: uintText, owner: addressText.nullable(), ...volume })),
    top_services: z.array(
      z.strictObject({
        service_numeric_id: uintText,
        service_id: chainText.nullable(),
        merchant_id: uintText.nullable(),
        ...volume,
      }),
    ),
    facilitator_volume: z.array(z.strictObject({ facilitator: addressText, ...volume })),
    volume_by_payment_rail: z.array(z.strictObject({ payment_rail: PaymentRail, ...volume })),
    trust_signals_by_kind: z.array(SignalsOfKind),
  })
  .openapi("CommerceAnalytics");

type Subject = (typeof totalSubjects)[number];
type Total = typeof total.$inferSelect;

const rankings = [
  "receipts_by_token",
  "receipts_by_merchant",
  "receipts_by_service",
  "receipts_by_facilitator",
  "receipts_by_payment_rail",
] as const satisfies Subject[];

const overall = [
  "merchants",
  "services",
  "facilitators",
  "quotes",
  "disputes_by_status",
  "signals_by_kind",
] as const satisfies Subject[];

/**
 * Selects the overall totals, and the largest totals of each ranking with their merchants and services. It reads only these
 * rows, from a database index.
 */
const selectTotals = preparedQuery((db) => {
  const largest = (subject: Subject) =>
    db.select().from(total).where(eq(total.subject, subject)).orderBy(desc(total.volume), total.key).limit(TOP);
  const ofOverall = db.select().from(total).where(inArray(total.subject, overall));
  const [first, ...others] = rankings.map(largest);
  const totals = unionAll(ofOverall, first as never, ...(others as never[])).as("totals");
  /** Only the keys of these subjects are numbers. */
  const idOf = (subject: Subject) => sql`CASE WHEN ${totals.subject} = ${subject} THEN ${totals.key}::numeric END`;
  return db
    .select({
      subject: totals.subject,
      key: totals.key,
      count: totals.count,
      active: totals.active,
      settled: totals.settled,
      volume: totals.volume,
      protocolFees: totals.protocolFees,
      owner: merchant.owner,
      serviceId: service.serviceId,
      merchantId: service.merchantId,
    })
    .from(totals)
    .leftJoin(merchant, eq(merchant.merchantId, idOf("receipts_by_merchant")))
    .leftJoin(service, eq(service.serviceNumericId, idOf("receipts_by_service")))
    .orderBy(desc(totals.volume), totals.key);
});

const volumeOf = (row: Pick<Total, "count" | "volume" | "protocolFees">) => ({
  receipts: String(row.count),
  settled_volume: String(row.volume),
  protocol_fees: String(row.protocolFees),
});

const sumOf = <Row>(rows: readonly Row[], of: (row: Row) => bigint | number) =>
  String(rows.reduce((sum, row) => sum + BigInt(of(row)), 0n));

const getCommerceAnalytics = operation({
  route: "GET /analytics/commerce",
  summary: "Commerce totals and rankings.",
  description:
    "Totals of the whole registry, and the largest tokens, merchants, services, facilitators and payment rails.",
  input: z.object({}),
  output: Analytics,
  example: {},
  dependsOn: ["index"],
  async run({ db }) {
    const totals = await selectTotals(db, {});
    const ranking = (subject: (typeof rankings)[number]) => totals.filter((row) => row.subject === subject);
    const all = (subject: (typeof overall)[number], key = "") =>
      totals.find((row) => row.subject === subject && row.key === key);
    const counts = (subject: "merchants" | "services" | "facilitators") => {
      const row = all(subject);
      return { count: String(row?.count ?? 0), active: String(row?.active ?? 0) };
    };
    const [m, s, f] = [counts("merchants"), counts("services"), counts("facilitators")];
    const quoted = all("quotes");
    const rails = ranking("receipts_by_payment_rail");
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
        settled_protocol_fees: sumOf(rails, (row) => row.protocolFees),
        disputes: String(open + resolved + rejected),
        open_disputes: String(open),
        resolved_disputes: String(resolved),
        rejected_disputes: String(rejected),
      },
      volume_by_token: ranking("receipts_by_token").map((row) => ({ token: row.key, ...volumeOf(row) })),
      top_merchants: ranking("receipts_by_merchant").map((row) => ({
        merchant_id: row.key,
        owner: row.owner,
        ...volumeOf(row),
      })),
      top_services: ranking("receipts_by_service").map((row) => ({
        service_numeric_id: row.key,
        service_id: row.serviceId,
        merchant_id: row.merchantId === null ? null : String(row.merchantId),
        ...volumeOf(row),
      })),
      facilitator_volume: ranking("receipts_by_facilitator").map((row) => ({
        facilitator: row.key,
        ...volumeOf(row),
      })),
      volume_by_payment_rail: rails.map((row) => ({ payment_rail: Number(row.key), ...volumeOf(row) })),
      trust_signals_by_kind: totals
        .filter(({ subject, count }) => subject === "signals_by_kind" && count > 0)
        .map(({ key, count }) => ({ kind: Number(key), signals: String(count) }))
        .sort((a, b) => a.kind - b.kind),
    };
  },
});

export const commerceAnalytics = { commerce: getCommerceAnalytics };
