import { Router } from "express";
import { zeroAddress, zeroHash } from "viem";
import { NOW } from "./database";
import { chainId } from "./deployment";
import { address, hash, oneOf, optional } from "./input";
import { readPage } from "./list";

export const intents = Router();

/** A metadata column that an intent's commitment allows: no commitment, not set, or equal. */
const agrees = (column: string, zero: string) =>
  `(i.${column} = '${zero}' OR m.${column} IS NULL OR m.${column} = i.${column})`;

/** The preferred metadata: signed, newest first, then unsigned, oldest first. */
const preference = "m.signed_at DESC NULLS LAST, m.created_at, m.content_hash";

/** Joins the metadata of an intent: submitted for its owner, and in agreement with its commitments. */
const withMetadata = `LEFT JOIN LATERAL (
  SELECT * FROM offchain.intent_metadata m
  WHERE m.chain_id = ${chainId} AND m.intent_hash = i.intent_hash AND m.owner = i.owner
    AND ${agrees("execution_target", zeroAddress)}
    AND ${agrees("execution_data_hash", zeroHash)}
    AND ${agrees("required_attestation_subject", zeroHash)}
    AND ${agrees("required_attestation_schema", zeroHash)}
  ORDER BY ${preference} LIMIT 1
) m ON true`;

const columns = `i.intent_id, i.owner, i.input_token, i.output_token, i.amount_in_max, i.amount_out_min, i.deadline,
  i.slippage_bps::text, i.nonce,
  CASE WHEN i.status = 'OPEN' AND i.deadline <= ${NOW} THEN 'EXPIRED' ELSE i.status END AS status,
  i.block_number, i.intent_hash, i.tx_hash, i.submitted_at,
  nullif(i.execution_target, '${zeroAddress}') AS target,
  nullif(i.execution_data_hash, '${zeroHash}') AS data_hash,
  nullif(i.required_attestation_subject, '${zeroHash}') AS subject,
  nullif(i.required_attestation_schema, '${zeroHash}') AS schema,
  nullif(i.metadata_uri_hash, '${zeroHash}') AS metadata_uri_hash,
  f.solver AS fill_solver, f.amount_in AS fill_amount_in, f.amount_out AS fill_amount_out, f.tx_hash AS fill_tx_hash,
  f.block_number AS fill_block_number, f.bid_id AS fill_bid_id, f.filled_at,
  coalesce(p.result_hash, '${zeroHash}') AS result_hash, coalesce(p.trace_hash, '${zeroHash}') AS trace_hash,
  coalesce(p.attestation_id, 0) AS attestation_id,
  m.intent_hash IS NOT NULL AS has_metadata, m.execution_target, m.execution_data, m.required_attestation_subject,
  m.required_attestation_schema`;

const from = `intent i LEFT JOIN fill f ON f.intent_id = i.intent_id
  LEFT JOIN fill_proof p ON p.intent_id = f.intent_id ${withMetadata}`;

type Row = Record<string, string | null> & { has_metadata: boolean };

const toJson = (row: Row) => ({
  intent_id: row.intent_id,
  owner: row.owner,
  intent_type: "SWAP_EXACT_IN_MAX_SLIPPAGE",
  input_token: row.input_token,
  output_token: row.output_token,
  amount_in_max: row.amount_in_max,
  amount_out_min: row.amount_out_min,
  deadline: row.deadline,
  slippage_bps: row.slippage_bps,
  nonce: row.nonce,
  status: row.status,
  block_number: row.block_number,
  fill: row.fill_solver && {
    solver: row.fill_solver,
    amount_in: row.fill_amount_in,
    amount_out: row.fill_amount_out,
    tx_hash: row.fill_tx_hash,
    block_number: row.fill_block_number,
    result_hash: row.result_hash,
    trace_hash: row.trace_hash,
    attestation_id: row.attestation_id,
    bid_id: row.fill_bid_id && `${row.intent_id}-${row.fill_bid_id}`,
    filled_at: row.filled_at,
  },
  intent_hash: row.intent_hash,
  execution: {
    target: row.target,
    data_hash: row.data_hash,
    required_attestation_subject: row.subject,
    required_attestation_schema: row.schema,
    metadata_uri_hash: row.metadata_uri_hash,
  },
  metadata: row.has_metadata
    ? {
        execution_target: row.execution_target,
        execution_data: row.execution_data,
        required_attestation_subject: row.required_attestation_subject,
        required_attestation_schema: row.required_attestation_schema,
      }
    : null,
  tx_hash: row.tx_hash,
  submitted_at: row.submitted_at,
});

const statusConditions: Record<string, string> = {
  open: `i.status = 'OPEN' AND i.deadline > ${NOW}`,
  expired: `i.status = 'OPEN' AND i.deadline <= ${NOW}`,
  filled: "i.status = 'FILLED'",
  cancelled: "i.status = 'CANCELLED'",
};

intents.get("/intents", async (req, res) => {
  const status = optional(oneOf(...Object.keys(statusConditions)), "status", req.query);
  const { rows, pagination } = await readPage<Row>(req.query, {
    select: columns,
    from,
    filters: {
      "i.owner": optional(address, "owner", req.query),
      "i.intent_hash": optional(hash, "intent_hash", req.query),
      "i.input_token": optional(address, "input_token", req.query),
      "i.output_token": optional(address, "output_token", req.query),
    },
    conditions: status === undefined ? [] : [statusConditions[status] ?? "false"],
    key: ["i.intent_id"],
    descending: true,
  });
  res.json({ intents: rows.map(toJson), pagination });
});
