import { Router } from "express";
import { query } from "./database";
import { address, enumNumber, flag, hash, id, notFound, optional } from "./input";
import { readPage } from "./list";

/** Merchants, services, facilitators, quotes, receipts, disputes and trust signals. */
export const commerce = Router();

const merchantColumns = "merchant_id, owner, payout_address, metadata_uri, metadata_hash, active, block_number";

commerce.get("/merchants", async (req, res) => {
  const { rows, pagination } = await readPage(req.query, {
    select: merchantColumns,
    from: "merchant",
    filters: { owner: optional(address, "owner", req.query), active: optional(flag, "active", req.query) },
    key: ["merchant_id"],
  });
  res.json({ merchants: rows, pagination });
});

async function findMerchant(merchantId: string) {
  const [row] = await query(`SELECT ${merchantColumns} FROM merchant WHERE merchant_id = $1`, [merchantId]);
  if (!row) throw notFound(`Merchant ${merchantId} not found`);
  return row;
}

commerce.get("/merchants/:id", async (req, res) => {
  res.json(await findMerchant(id("id", req.params.id)));
});

type Total = { subject: string; key: string; count: number; fulfilled: number; volume: string };

commerce.get("/merchants/:id/reputation", async (req, res) => {
  const merchantId = id("id", req.params.id);
  const statuses = ["OPEN", "RESOLVED", "REJECTED"].map((status) => `${merchantId}-${status}`);
  const kinds = [0, 1, 2, 3].map((kind) => `0-${merchantId}-${kind}`);
  const [merchant, totals] = await Promise.all([
    findMerchant(merchantId),
    query<Total>(
      `SELECT subject, key, count, fulfilled, volume FROM total
       WHERE (subject = 'receipts_by_merchant' AND key = $1)
         OR (subject = 'disputes_by_merchant' AND key = ANY($2))
         OR (subject = 'signals_by_subject' AND key = ANY($3))`,
      [merchantId, statuses, kinds],
    ),
  ]);
  const receipts = totals.find(({ subject }) => subject === "receipts_by_merchant");
  const countOf = (key: string) => totals.find((row) => row.key === key)?.count ?? 0;
  const [open = 0, resolved = 0, rejected = 0] = statuses.map(countOf);
  res.json({
    merchant,
    commerce: {
      receipts: String(receipts?.count ?? 0),
      settled_volume: receipts?.volume ?? "0",
      fulfilled_receipts: String(receipts?.fulfilled ?? 0),
    },
    disputes: {
      disputes: String(open + resolved + rejected),
      open_disputes: String(open),
      resolved_disputes: String(resolved),
      rejected_disputes: String(rejected),
    },
    trust_signals_by_kind: kinds
      .map((key, kind) => ({ kind, signals: String(countOf(key)) }))
      .filter(({ signals }) => signals !== "0"),
  });
});

const serviceColumns =
  "service_numeric_id, merchant_id, service_id, metadata_uri, metadata_hash, capability_hash, active, block_number";

commerce.get("/services", async (req, res) => {
  const { rows, pagination } = await readPage(req.query, {
    select: serviceColumns,
    from: "service",
    filters: {
      merchant_id: optional(id, "merchant_id", req.query),
      capability_hash: optional(hash, "capability_hash", req.query),
      active: optional(flag, "active", req.query),
    },
    key: ["service_numeric_id"],
  });
  res.json({ services: rows, pagination });
});

commerce.get("/services/:id", async (req, res) => {
  const serviceId = id("id", req.params.id);
  const [row] = await query(`SELECT ${serviceColumns} FROM service WHERE service_numeric_id = $1`, [serviceId]);
  if (!row) throw notFound(`Service ${serviceId} not found`);
  res.json(row);
});

const facilitatorColumns = "facilitator_id, facilitator, metadata_uri, metadata_hash, active, block_number";

commerce.get("/facilitators", async (req, res) => {
  const { rows, pagination } = await readPage(req.query, {
    select: facilitatorColumns,
    from: "facilitator",
    filters: { active: optional(flag, "active", req.query) },
    key: ["facilitator_id"],
  });
  res.json({ facilitators: rows, pagination });
});

commerce.get("/facilitators/:id", async (req, res) => {
  const facilitatorId = id("id", req.params.id);
  const [row] = await query(`SELECT ${facilitatorColumns} FROM facilitator WHERE facilitator_id = $1`, [facilitatorId]);
  if (!row) throw notFound(`Facilitator ${facilitatorId} not found`);
  res.json(row);
});

const quoteColumns = `quote_hash, merchant_id, service_numeric_id, agent, token, facilitator, amount, payment_rail,
  protocol_fee_bps, protocol_fee_amount, expires_at, payment_nonce, resource_hash, terms_hash,
  x402_payload_hash, settled, block_number, committed_at`;

commerce.get("/quotes", async (req, res) => {
  const { rows, pagination } = await readPage(req.query, {
    select: `${quoteColumns}, block_number, log_index`,
    from: "quote",
    filters: {
      merchant_id: optional(id, "merchant_id", req.query),
      agent: optional(address, "agent", req.query),
      settled: optional(flag, "settled", req.query),
    },
    key: ["block_number", "log_index"],
    descending: true,
  });
  res.json({ quotes: rows.map(({ block_number, log_index, ...quote }) => quote), pagination });
});

commerce.get("/quotes/:quoteHash", async (req, res) => {
  const quoteHash = hash("quoteHash", req.params.quoteHash);
  const [row] = await query(`SELECT ${quoteColumns} FROM quote WHERE quote_hash = $1`, [quoteHash]);
  if (!row) throw notFound(`Quote ${quoteHash} not found`);
  res.json(row);
});

const receiptColumns = `receipt_id, quote_hash, agent, merchant_id, service_numeric_id, token, amount, payment_rail,
  protocol_fee_bps, protocol_fee_amount, facilitator, result_hash, resource_hash, fulfillment_hash, block_number,
  tx_hash, settled_at`;

commerce.get("/receipts", async (req, res) => {
  const { rows, pagination } = await readPage(req.query, {
    select: receiptColumns,
    from: "receipt",
    filters: { agent: optional(address, "agent", req.query), merchant_id: optional(id, "merchant_id", req.query) },
    key: ["receipt_id"],
    descending: true,
  });
  res.json({ receipts: rows, pagination });
});

commerce.get("/receipts/:id", async (req, res) => {
  const receiptId = id("id", req.params.id);
  const [row] = await query<{ fulfillment_hash: string | null; evidence_type: string | null }>(
    `SELECT ${receiptColumns}, (SELECT evidence_type FROM offchain.document
       WHERE kind = 'fulfillment-evidence' AND hash = receipt.fulfillment_hash) AS evidence_type
     FROM receipt WHERE receipt_id = $1`,
    [receiptId],
  );
  if (!row) throw notFound(`Receipt ${receiptId} not found`);
  const { evidence_type, ...receipt } = row;
  const { fulfillment_hash: evidence_hash } = receipt;
  const uri = `http://${req.headers.host}/fulfillment-evidence/${evidence_hash}`;
  res.json({ ...receipt, fulfillment_evidence: evidence_type && { evidence_hash, evidence_type, uri } });
});

const disputeColumns = "dispute_id, receipt_id, status, opener, reason_hash, resolution_hash, block_number";

commerce.get("/disputes", async (req, res) => {
  const { rows, pagination } = await readPage(req.query, {
    select: disputeColumns,
    from: "dispute",
    filters: {
      receipt_id: optional(id, "receipt_id", req.query),
      merchant_id: optional(id, "merchant_id", req.query),
    },
    key: ["dispute_id"],
    descending: true,
  });
  res.json({ disputes: rows, pagination });
});

commerce.get("/disputes/:id", async (req, res) => {
  const disputeId = id("id", req.params.id);
  const [row] = await query(`SELECT ${disputeColumns} FROM dispute WHERE dispute_id = $1`, [disputeId]);
  if (!row) throw notFound(`Dispute ${disputeId} not found`);
  res.json(row);
});

commerce.get("/trust-signals", async (req, res) => {
  const { rows, pagination } = await readPage(req.query, {
    select: "signal_id, subject_type, subject_id, kind, reporter, signal_hash, block_number",
    from: "trust_signal",
    filters: {
      subject_type: optional(enumNumber(4), "subject_type", req.query),
      subject_id: optional(id, "subject_id", req.query),
      kind: optional(enumNumber(4), "kind", req.query),
      reporter: optional(address, "reporter", req.query),
    },
    key: ["signal_id"],
    descending: true,
  });
  res.json({ trust_signals: rows, pagination });
});
