import { Router } from "express";
import { query } from "./database";

export const analytics = Router();

type Ranked = {
  subject: string;
  key: string;
  receipts: string;
  settled_volume: string;
  protocol_fees: string;
  owner: string | null;
  service_id: string | null;
  merchant_id: string | null;
};

const rankings = [
  "receipts_by_token",
  "receipts_by_merchant",
  "receipts_by_service",
  "receipts_by_facilitator",
  "receipts_by_payment_rail",
];

/** The 20 largest totals of each ranking, with their merchants and services. */
const readRankings = () =>
  query<Ranked>(
    `SELECT t.subject, t.key, t.count::text AS receipts, t.volume AS settled_volume, t.protocol_fees, m.owner,
       s.service_id, s.merchant_id
     FROM unnest($1::text[]) AS ranking (subject)
     CROSS JOIN LATERAL (
       SELECT * FROM total WHERE total.subject = ranking.subject ORDER BY volume DESC, key LIMIT 20
     ) t
     LEFT JOIN merchant m ON m.merchant_id = CASE WHEN t.subject = 'receipts_by_merchant' THEN t.key::numeric END
     LEFT JOIN service s ON s.service_numeric_id = CASE WHEN t.subject = 'receipts_by_service' THEN t.key::numeric END
     ORDER BY t.subject, t.volume DESC, t.key`,
    [rankings],
  );

type Total = {
  subject: string;
  key: string;
  count: number;
  active: number;
  settled: number;
  volume: string;
  protocol_fees: string;
};

const readTotals = () =>
  query<Total>(
    `SELECT subject, key, count, active, settled, volume, protocol_fees FROM total
     WHERE subject IN ('merchants', 'services', 'facilitators', 'quotes', 'disputes_by_status', 'signals_by_kind')
     ORDER BY subject, key`,
  );

const sum = (values: string[]) => String(values.reduce((total, value) => total + BigInt(value), 0n));

analytics.get("/analytics/commerce", async (_req, res) => {
  const [ranked, totals] = await Promise.all([readRankings(), readTotals()]);
  const ranking = (subject: string) => ranked.filter((row) => row.subject === subject);
  const volume = ({ receipts, settled_volume, protocol_fees }: Ranked) => ({ receipts, settled_volume, protocol_fees });
  const totalOf = (subject: string, key = "") => totals.find((row) => row.subject === subject && row.key === key);
  const countOf = (subject: string, key?: string) => totalOf(subject, key)?.count ?? 0;
  const activeOf = (subject: string) => String(totalOf(subject)?.active ?? 0);
  const rails = ranking("receipts_by_payment_rail");
  const open = countOf("disputes_by_status", "OPEN");
  const resolved = countOf("disputes_by_status", "RESOLVED");
  const rejected = countOf("disputes_by_status", "REJECTED");
  res.json({
    summary: {
      merchants: String(countOf("merchants")),
      active_merchants: activeOf("merchants"),
      services: String(countOf("services")),
      active_services: activeOf("services"),
      facilitators: String(countOf("facilitators")),
      active_facilitators: activeOf("facilitators"),
      quotes: String(countOf("quotes")),
      settled_quotes: String(totalOf("quotes")?.settled ?? 0),
      quoted_volume: totalOf("quotes")?.volume ?? "0",
      quoted_protocol_fees: totalOf("quotes")?.protocol_fees ?? "0",
      receipts: sum(rails.map(({ receipts }) => receipts)),
      settled_volume: sum(rails.map(({ settled_volume }) => settled_volume)),
      settled_protocol_fees: sum(rails.map(({ protocol_fees }) => protocol_fees)),
      disputes: String(open + resolved + rejected),
      open_disputes: String(open),
      resolved_disputes: String(resolved),
      rejected_disputes: String(rejected),
    },
    volume_by_token: ranking("receipts_by_token").map((row) => ({ token: row.key, ...volume(row) })),
    top_merchants: ranking("receipts_by_merchant").map((row) => ({
      merchant_id: row.key,
      owner: row.owner,
      ...volume(row),
    })),
    top_services: ranking("receipts_by_service").map((row) => ({
      service_numeric_id: row.key,
      service_id: row.service_id,
      merchant_id: row.merchant_id,
      ...volume(row),
    })),
    facilitator_volume: ranking("receipts_by_facilitator").map((row) => ({ facilitator: row.key, ...volume(row) })),
    volume_by_payment_rail: rails.map((row) => ({ payment_rail: Number(row.key), ...volume(row) })),
    trust_signals_by_kind: totals
      .filter(({ subject, count }) => subject === "signals_by_kind" && count > 0)
      .map(({ key, count }) => ({ kind: Number(key), signals: String(count) })),
  });
});
