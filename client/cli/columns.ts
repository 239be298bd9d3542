/** The columns of each list, most important first. The last ones are omitted if the terminal is too narrow. */
export const columns: Readonly<Record<string, readonly string[]>> = {
  "search.find": ["type", "id", "name", "active", "fulfilled", "disputes", "price", "description"],
  "search.names": ["type", "id", "name", "metadata_state"],
  "agents.list": ["agent_id", "owner", "revoked", "metadata_uri"],
  "intents.list": ["intent_id", "status", "owner", "amount_in_max", "amount_out_min", "deadline"],
  "bids.list": ["bid_id", "status", "solver", "amount_in", "amount_out", "fee", "valid_until"],
  "accounts.policies": [
    "policy_type",
    "token",
    "target",
    "max_per_day",
    "spent_today",
    "max_per_payment",
    "selector",
    "merchant",
    "guardian",
    "allowed",
    "enabled",
    "frozen",
  ],
  "schemas.list": ["name", "recommended_subject", "builtin", "schema_hash", "description"],
  "attestations.list": ["attestation_id", "attester", "schema_hash", "subject", "revoked", "timestamp"],
  "solvers.list": ["solver_id", "operator", "active", "bond", "successful_fills", "failed_fills", "avg_latency_blocks"],
  "attestors.list": ["attestor_id", "operator", "active", "attestations", "revoked_attestations", "metadata_uri"],
  "merchants.list": ["merchant_id", "owner", "payout_address", "active", "metadata_uri"],
  "services.list": ["service_numeric_id", "merchant_id", "service_id", "active", "metadata_uri"],
  "facilitators.list": ["facilitator_id", "facilitator", "active", "metadata_uri"],
  "quotes.list": ["quote_hash", "merchant_id", "agent", "amount", "settled", "expires_at"],
  "receipts.list": ["receipt_id", "merchant_id", "agent", "amount", "settled_at", "fulfillment_hash"],
  "disputes.list": ["dispute_id", "receipt_id", "status", "opener", "block_number"],
  "trustSignals.list": ["signal_id", "subject_type", "subject_id", "kind", "reporter", "block_number"],
  "events.recent": ["block_number", "event", "summary"],
};

/** The columns whose texts are shortened before a column is omitted. */
export const shortened: ReadonlySet<string> = new Set([
  "name",
  "description",
  "metadata_uri",
  "service_id",
  "summary",
  "operation",
]);
