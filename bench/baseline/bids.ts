import { Router } from "express";
import { NOW } from "./database";
import { chainId } from "./deployment";
import { id, oneOf, optional } from "./input";
import { readPage } from "./list";

export const bids = Router();

/** Bids on chain. Their table is `b`. */
const onchain = `
  SELECT b.intent_id || '-' || b.bid_id AS bid_id, b.bid_id AS chain_bid_id, b.intent_id, b.solver, b.amount_in,
    b.amount_out, b.fee, b.valid_until, b.execution_hash, NULL::json AS execution_plan,
    CASE WHEN i.selected_bid_id = b.bid_id THEN 'SELECTED' WHEN s.bid_id IS NOT NULL OR i.status <> 'OPEN' THEN 'REJECTED'
      WHEN b.valid_until < ${NOW} THEN 'EXPIRED' ELSE 'OPEN' END AS status,
    'onchain' AS source, b.block_number, b.tx_hash, b.created_at, s.selected_at, -b.amount_out AS rank, 0 AS source_rank,
    b.bid_id AS number
  FROM bid b
  LEFT JOIN intent i ON i.intent_id = b.intent_id
  LEFT JOIN bid_selection s ON s.intent_id = b.intent_id AND s.bid_id = b.bid_id`;

/** Bids off chain and their intents. Their tables are `o` and `i`. A selection on chain rejects the one off chain. */
const offchain = `
  SELECT 'offchain-' || o.number, NULL, i.intent_id, o.solver, o.amount_in, o.amount_out, o.fee, o.valid_until, NULL,
    o.execution_plan::json,
    CASE WHEN o.status = 'SELECTED' AND i.selected_bid_id IS NULL THEN 'SELECTED'
      WHEN o.status <> 'OPEN' OR i.status <> 'OPEN' THEN 'REJECTED' WHEN o.valid_until < ${NOW} THEN 'EXPIRED'
      ELSE 'OPEN' END,
    'offchain', NULL, NULL, o.created_at, o.selected_at, -o.amount_out, 1, o.number
  FROM intent i JOIN offchain.bid o ON o.chain_id = ${chainId} AND o.intent_hash = i.intent_hash`;

/** The bids of an intent ($1). */
const from = `(${onchain} WHERE b.intent_id = $1 UNION ALL ${offchain} WHERE i.intent_id = $1) bids`;

type Sorted = { rank: string; source_rank: number; number: string };

/** Removes the columns that only sort. */
const toWire = ({ rank, source_rank, number, ...bid }: Sorted) => bid;

bids.get("/intents/:id/bids", async (req, res) => {
  const status = optional(oneOf("open", "selected", "rejected", "expired"), "status", req.query);
  const { rows, pagination } = await readPage<Sorted>(req.query, {
    select: "*",
    from,
    values: [id("id", req.params.id)],
    filters: { status: status?.toUpperCase() },
    key: ["rank", "amount_in", "fee", "created_at", "source_rank", "number"],
  });
  res.json({ bids: rows.map(toWire), pagination });
});
