import type { Item } from "../../support/lists/asking";

/** The documented types of fields. */
const types = {
  numeric: (value: unknown) => typeof value === "string" && /^\d+$/.test(value),
  decimal: (value: unknown) => typeof value === "string" && /^\d+(\.\d{1,6})?$/.test(value),
  price: (value: unknown) => typeof value === "string" && /^\d+(\.\d{1,18})?$/.test(value),
  integer: (value: unknown) => Number.isInteger(value),
  boolean: (value: unknown) => typeof value === "boolean",
  text: (value: unknown) => typeof value === "string",
  address: (value: unknown) => typeof value === "string" && /^0x[0-9a-f]{40}$/.test(value),
  hash: (value: unknown) => typeof value === "string" && /^0x[0-9a-f]{64}$/.test(value),
  bytes: (value: unknown) => typeof value === "string" && /^0x([0-9a-f]{2})*$/.test(value),
  selector: (value: unknown) => typeof value === "string" && /^0x[0-9a-f]{8}$/.test(value),
  object: (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value),
} as const;

type Type = keyof typeof types;

/** The type of a field. `?` means nullable. */
type FieldType = Type | `${Type}?`;

/** The exact fields of a resource. */
export type Shape = Readonly<Record<string, FieldType>>;

const fits = (value: unknown, type: FieldType) => {
  const name = type.replace("?", "") as Type;
  return (type.endsWith("?") && value === null) || types[name](value);
};

/** The differences between an item and its documentation, one line each. */
export function deviations(item: unknown, shape: Shape): string[] {
  if (!types.object(item)) return [`${JSON.stringify(item)} is not an object`];
  const found = item as Item;
  const missing = Object.keys(shape).filter((key) => !Object.hasOwn(found, key));
  const surplus = Object.keys(found).filter((key) => !Object.hasOwn(shape, key));
  const wrong = Object.entries(shape).filter(([key, type]) => Object.hasOwn(found, key) && !fits(found[key], type));
  return [
    ...missing.map((key) => `${key} is missing`),
    ...surplus.map((key) => `${key} is not documented`),
    ...wrong.map(([key, type]) => `${key} is ${JSON.stringify(found[key])}, not of type ${type}`),
  ];
}

const agent: Shape = {
  agent_id: "numeric",
  owner: "address",
  metadata_uri: "text",
  pubkey: "bytes",
  capabilities_hash: "hash",
  revoked: "boolean",
  block_number: "numeric",
};

const intent: Shape = {
  intent_id: "numeric",
  owner: "address",
  intent_type: "text",
  input_token: "address",
  output_token: "address",
  amount_in_max: "numeric",
  amount_out_min: "numeric",
  amount_in_usd: "decimal?",
  amount_out_usd: "decimal?",
  price: "price?",
  surplus_bps: "numeric?",
  surplus_usd: "decimal?",
  deadline: "numeric",
  slippage_bps: "numeric",
  nonce: "numeric",
  status: "text",
  block_number: "numeric",
  fill: "object?",
  intent_hash: "hash",
  execution: "object",
  metadata: "object?",
  tx_hash: "hash",
  submitted_at: "numeric",
};

const fill: Shape = {
  solver: "address",
  amount_in: "numeric",
  amount_out: "numeric",
  amount_in_usd: "decimal?",
  amount_out_usd: "decimal?",
  tx_hash: "hash",
  block_number: "numeric",
  result_hash: "hash",
  trace_hash: "hash",
  attestation_id: "numeric",
  bid_id: "text?",
  filled_at: "numeric",
};

const execution: Shape = {
  target: "address?",
  data_hash: "hash?",
  required_attestation_subject: "hash?",
  required_attestation_schema: "hash?",
  metadata_uri_hash: "hash?",
};

const bid: Shape = {
  bid_id: "text",
  chain_bid_id: "numeric",
  intent_id: "numeric",
  solver: "address",
  input_token: "address?",
  output_token: "address?",
  amount_in: "numeric",
  amount_out: "numeric",
  amount_in_usd: "decimal?",
  amount_out_usd: "decimal?",
  price: "price?",
  surplus_bps: "numeric?",
  surplus_usd: "decimal?",
  fee: "numeric",
  valid_until: "numeric",
  execution_hash: "hash",
  execution_plan: "object?",
  status: "text",
  source: "text",
  block_number: "numeric",
  tx_hash: "hash",
  created_at: "numeric",
  selected_at: "numeric?",
};

const quote: Shape = {
  quote_hash: "hash",
  merchant_id: "numeric",
  service_numeric_id: "numeric",
  agent: "address",
  token: "address",
  facilitator: "address",
  amount: "numeric",
  amount_usd: "decimal?",
  payment_rail: "integer",
  protocol_fee_bps: "integer",
  protocol_fee_amount: "numeric",
  expires_at: "numeric",
  payment_nonce: "numeric",
  resource_hash: "hash",
  terms_hash: "hash",
  x402_payload_hash: "hash",
  settled: "boolean",
  block_number: "numeric",
  committed_at: "numeric",
};

const attestation: Shape = {
  attestation_id: "numeric",
  attester: "address",
  schema_hash: "hash",
  subject: "hash",
  data_hash: "hash",
  timestamp: "numeric",
  revoked: "boolean",
  block_number: "numeric",
};

const solver: Shape = {
  solver_id: "numeric",
  operator: "address",
  metadata_uri: "text",
  capabilities_hash: "hash",
  bond: "numeric",
  active: "boolean",
  fills: "numeric",
  successful_fills: "numeric",
  failed_fills: "numeric",
  avg_latency_blocks: "decimal",
  avg_surplus_out: "decimal",
  total_latency_blocks: "numeric",
  total_surplus_out: "numeric",
  block_number: "numeric",
};

const attestor: Shape = {
  attestor_id: "numeric",
  operator: "address",
  metadata_uri: "text",
  schemas_hash: "hash",
  active: "boolean",
  attestations: "numeric",
  revoked_attestations: "numeric",
  block_number: "numeric",
};

const merchant: Shape = {
  merchant_id: "numeric",
  owner: "address",
  payout_address: "address",
  metadata_uri: "text",
  metadata_hash: "hash",
  active: "boolean",
  block_number: "numeric",
};

const service: Shape = {
  service_numeric_id: "numeric",
  merchant_id: "numeric",
  service_id: "text",
  metadata_uri: "text",
  metadata_hash: "hash",
  capability_hash: "hash",
  active: "boolean",
  block_number: "numeric",
};

const facilitator: Shape = {
  facilitator_id: "numeric",
  facilitator: "address",
  metadata_uri: "text",
  metadata_hash: "hash",
  active: "boolean",
  block_number: "numeric",
};

const receipt: Shape = {
  receipt_id: "numeric",
  quote_hash: "hash",
  agent: "address",
  merchant_id: "numeric",
  service_numeric_id: "numeric",
  token: "address",
  amount: "numeric",
  amount_usd: "decimal?",
  payment_rail: "integer",
  protocol_fee_bps: "integer",
  protocol_fee_amount: "numeric",
  facilitator: "address",
  result_hash: "hash",
  resource_hash: "hash",
  fulfillment_hash: "hash?",
  payment_proof: "text",
  block_number: "numeric",
  tx_hash: "hash",
  settled_at: "numeric",
};

const dispute: Shape = {
  dispute_id: "numeric",
  receipt_id: "numeric",
  status: "text",
  opener: "address",
  reason_hash: "hash",
  resolution_hash: "hash?",
  block_number: "numeric",
};

const trustSignal: Shape = {
  signal_id: "numeric",
  subject_type: "integer",
  subject_id: "numeric",
  kind: "integer",
  reporter: "address",
  signal_hash: "hash",
  block_number: "numeric",
};

export const shapes = {
  agent,
  intent,
  fill,
  execution,
  bid,
  quote,
  attestation,
  solver,
  attestor,
  merchant,
  service,
  facilitator,
  receipt,
  dispute,
  trustSignal,
} as const;

/** The fields of a policy, by its type. */
export const policyShapes: Readonly<Record<string, Shape>> = {
  SPEND_LIMIT: {
    policy_type: "text",
    token: "address",
    max_per_day: "numeric",
    spent_today: "numeric",
    window_resets_at: "numeric?",
    block_number: "numeric",
  },
  TARGET_ALLOWLIST: { policy_type: "text", target: "address", allowed: "boolean", block_number: "numeric" },
  FUNCTION_ALLOWLIST: {
    policy_type: "text",
    target: "address",
    selector: "selector",
    allowed: "boolean",
    block_number: "numeric",
  },
  FUNCTION_ALLOWLIST_MODE: { policy_type: "text", enabled: "boolean", block_number: "numeric" },
  GUARDIAN: { policy_type: "text", guardian: "address", block_number: "numeric" },
  ACCOUNT_FROZEN: { policy_type: "text", frozen: "boolean", block_number: "numeric" },
  PAYMENT_POLICY: {
    policy_type: "text",
    merchant: "address",
    token: "address",
    facilitator: "address",
    max_per_payment: "numeric",
    max_per_day: "numeric",
    allowed: "boolean",
    block_number: "numeric",
  },
};

const volume = { receipts: "numeric", settled_volume: "numeric", protocol_fees: "numeric" } as const;
const ranked = { ...volume, settled_volume_usd: "decimal" } as const;
const trading = { ...ranked, counterparties: "numeric" } as const;
const signals: Shape = { kind: "integer", signals: "numeric" };

const numbers = <const Key extends string>(...keys: Key[]) =>
  Object.fromEntries(keys.map((key) => [key, "numeric"])) as Record<Key, "numeric">;

/** The parts of GET /analytics/commerce: its summary, and the elements of each array. */
export const analyticsShapes = {
  summary: {
    settled_volume_usd: "decimal",
    ...numbers(
      "merchants",
      "active_merchants",
      "services",
      "active_services",
      "facilitators",
      "active_facilitators",
      "quotes",
      "settled_quotes",
      "quoted_volume",
      "quoted_protocol_fees",
      "receipts",
      "settled_volume",
      "settled_protocol_fees",
      "disputes",
      "open_disputes",
      "resolved_disputes",
      "rejected_disputes",
    ),
  },
  volume_by_token: { token: "address", listed: "boolean", ...ranked },
  unlisted_volume: { token: "address", ...volume },
  top_merchants: { merchant_id: "numeric", owner: "address", ...trading },
  top_services: { service_numeric_id: "numeric", service_id: "text", merchant_id: "numeric", ...trading },
  facilitator_volume: { facilitator: "address", ...trading },
  volume_by_payment_rail: { payment_rail: "integer", ...ranked },
  trust_signals_by_kind: signals,
} as const satisfies Record<string, Shape>;

/** The parts of GET /merchants/:id/reputation. */
export const reputationShapes = {
  merchant,
  commerce: numbers(
    ...["receipts", "settled_volume", "fulfilled_receipts"],
    ...["settlement_receipts", "facilitator_receipts", "claim_receipts"],
  ),
  disputes: numbers("disputes", "open_disputes", "resolved_disputes", "rejected_disputes"),
  trust_signals_by_kind: signals,
} as const satisfies Record<string, Shape>;
