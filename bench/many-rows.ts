import type pg from "pg";

/** How many of each there are beside the rows themselves. Few of something make it common, many make it rare. */
const OWNERS = 20_000;
const SOLVERS = 200_000;
const MERCHANTS = 200_000;
const TOKENS = 50;
const CONTESTED_BIDS = 20_000;

/** Hex of this many digits that stands for a number. */
const hex = (digits: 40 | 64, kind: string, number: string) =>
  `('0x' || left(md5('${kind}' || (${number})::text) || md5('more ${kind}' || (${number})::text), ${digits}))`;

/**
 * The number of somebody among `many`, chosen for row `n`: squared, so that the first of them have much and most have
 * little. The same row always chooses the same.
 */
const someOf = (many: number, salt: string) =>
  `(1 + floor(${many} * power((hashtextextended('${salt}' || n::text, 0) & 1073741823) / 1073741824.0, 3)))::bigint`;

/** A number from 0 to 99 for row `n`. */
const percent = (salt: string) => `((hashtextextended('${salt}' || n::text, 0) & 1073741823) % 100)`;

const owner = (salt: string) => hex(40, "owner", someOf(OWNERS, salt));
const token = (salt: string) => hex(40, "token", someOf(TOKENS, salt));
const hash = (salt: string) => hex(64, salt, "n");

/** The present of the made-up index; a new intent comes every 30 s, and most live for a day. */
export const NOW = 2_000_000_000n;

const time = "(2000000000 - 30 * (rows - n))";

/** What the columns of every table are, for row `n` of `rows`. */
const tables: Readonly<Record<string, Record<string, string>>> = {
  agent: {
    agent_id: "n",
    owner: owner("agent"),
    metadata_uri: "'ipfs://agent/' || n",
    pubkey: hash("pubkey"),
    capabilities_hash: hash("capabilities"),
    revoked: `${percent("revoked")} < 5`,
    block_number: "n",
  },
  intent: {
    intent_id: "n",
    owner: owner("intent"),
    intent_type: "0",
    amount_in_max: "1000 + n",
    amount_out_min: "900",
    // Some never expire, so that there are open intents everywhere in the list.
    deadline: `CASE WHEN ${percent("lasting")} = 0 THEN 4000000000 ELSE ${time} + 86400 END`,
    slippage_bps: "50",
    execution_target: hex(40, "target", "n"),
    execution_data_hash: hash("data"),
    required_attestation_subject: hash("subject"),
    required_attestation_schema: hash("schema"),
    metadata_uri_hash: hash("uri"),
    input_token: token("input"),
    output_token: token("output"),
    nonce: "n",
    intent_hash: hash("intent"),
    status: `CASE WHEN ${percent("status")} < 60 THEN 'FILLED' WHEN ${percent("status")} < 70 THEN 'CANCELLED' ELSE 'OPEN' END`,
    selected_bid_id: `CASE WHEN ${percent("selected")} < 80 THEN 1 END`,
    selected_solver: `CASE WHEN ${percent("selected")} < 80 THEN ${hex(40, "operator", someOf(SOLVERS, "selected solver"))} END`,
    submitted_at: time,
    block_number: "n",
    tx_hash: hash("intent transaction"),
  },
  // The newest intent has many bids, which is where paging through bids has to be quick; the others have one each.
  bid: {
    intent_id: `CASE WHEN n <= ${CONTESTED_BIDS} THEN rows ELSE n - ${CONTESTED_BIDS} END`,
    bid_id: `CASE WHEN n <= ${CONTESTED_BIDS} THEN n ELSE 1 END`,
    solver: hex(40, "operator", someOf(SOLVERS, "bid")),
    amount_in: `1000 - ${percent("amount in")}`,
    amount_out: `1000 + ${percent("amount out")} * 100 + ${percent("more amount out")}`,
    fee: percent("fee"),
    valid_until: `CASE WHEN ${percent("valid")} < 50 THEN ${time} + 3600 ELSE 4000000000 END`,
    execution_hash: hash("execution"),
    created_at: time,
    block_number: "n",
    tx_hash: hash("bid transaction"),
  },
  bid_selection: { intent_id: "n", bid_id: "1" },
  fill: {
    intent_id: "n",
    solver: hex(40, "operator", someOf(SOLVERS, "fill")),
    amount_in: "1000",
    amount_out: "950",
    bid_id: "1",
    filled_at: time,
    block_number: "n",
    tx_hash: hash("fill transaction"),
  },
  fill_proof: { intent_id: "n", result_hash: hash("result"), trace_hash: hash("trace"), attestation_id: "0" },
  policy: {
    account: hex(40, "owner", "1 + n / 10"),
    policy_type: "(ARRAY['FUNCTION_ALLOWLIST','PAYMENT_POLICY','SPEND_LIMIT','TARGET_ALLOWLIST'])[1 + n % 4]",
    key: hex(40, "key", "n"),
    enabled: `${percent("enabled")} < 90`,
    max_per_payment: "10",
    max_per_day: "100",
    spent_today: percent("spent"),
    last_reset: time,
    block_number: "n",
  },
  attestation: {
    attestation_id: "n",
    attester: hex(40, "operator", someOf(SOLVERS, "attester")),
    schema_hash: hex(64, "schema", someOf(40, "schema")),
    subject: hex(64, "subject", someOf(OWNERS, "subject")),
    data_hash: hash("attested"),
    timestamp: time,
    revoked: `${percent("attestation")} < 3`,
    block_number: "n",
  },
  attestor: {
    attestor_id: "n",
    operator: hex(40, "operator", "n"),
    metadata_uri: "'ipfs://attestor/' || n",
    schemas_hash: hash("schemas"),
    active: `${percent("attestor")} < 95`,
    block_number: "n",
  },
  solver: {
    solver_id: "n",
    operator: hex(40, "operator", "n"),
    metadata_uri: "'ipfs://solver/' || n",
    capabilities_hash: hash("solver"),
    bond: "n",
    active: `${percent("solver")} < 95`,
    block_number: "n",
  },
  solver_activity: {
    solver: hex(40, "operator", "n"),
    fills: "n",
    latency_blocks: "n",
    surplus_out: "n",
    cancelled_selections: "n % 7",
  },
  merchant: {
    merchant_id: "n",
    owner: owner("merchant"),
    payout_address: hex(40, "payout", "n"),
    metadata_uri: "'ipfs://merchant/' || n",
    metadata_hash: hash("merchant"),
    active: `${percent("merchant")} < 95`,
    block_number: "n",
  },
  service: {
    service_numeric_id: "n",
    merchant_id: someOf(MERCHANTS, "service"),
    service_id: "'service ' || n",
    metadata_uri: "'ipfs://service/' || n",
    metadata_hash: hash("service"),
    capability_hash: hex(64, "capability", someOf(500, "capability")),
    active: `${percent("service")} < 95`,
    block_number: "n",
  },
  facilitator: {
    facilitator_id: "n",
    facilitator: hex(40, "facilitator", "n"),
    metadata_uri: "'ipfs://facilitator/' || n",
    metadata_hash: hash("facilitator"),
    active: `${percent("facilitator")} < 95`,
    block_number: "n",
  },
  quote: {
    quote_hash: hash("quote"),
    merchant_id: someOf(MERCHANTS, "quote"),
    service_numeric_id: "n",
    agent: owner("quote"),
    token: token("quote"),
    facilitator: hex(40, "facilitator", someOf(1_000, "quote facilitator")),
    amount: "n",
    payment_rail: "n % 4",
    protocol_fee_bps: "0",
    protocol_fee_amount: "0",
    expires_at: `${time} + 604800`,
    payment_nonce: "n",
    resource_hash: hash("resource"),
    terms_hash: hash("terms"),
    x402_payload_hash: hash("payload"),
    settled: `${percent("settled")} < 90`,
    log_index: "n % 5",
    block_number: "n / 5",
  },
  receipt: {
    receipt_id: "n",
    quote_hash: hash("quote"),
    agent: owner("receipt"),
    merchant_id: someOf(MERCHANTS, "receipt"),
    service_numeric_id: "n",
    token: token("receipt"),
    amount: "n",
    payment_rail: "n % 4",
    protocol_fee_bps: "0",
    protocol_fee_amount: "0",
    facilitator: hex(40, "facilitator", someOf(1_000, "receipt facilitator")),
    result_hash: hash("result"),
    resource_hash: hash("resource"),
    settled_at: time,
    block_number: "n",
    tx_hash: hash("receipt transaction"),
  },
  dispute: {
    dispute_id: "n",
    receipt_id: someOf(200_000, "dispute"),
    merchant_id: someOf(MERCHANTS, "dispute"),
    status: "(ARRAY['OPEN','RESOLVED','REJECTED'])[1 + n % 3]",
    opener: owner("dispute"),
    reason_hash: hash("reason"),
    block_number: "n",
  },
  trust_signal: {
    signal_id: "n",
    subject_type: "n % 4",
    subject_id: someOf(MERCHANTS, "signal"),
    kind: `CASE WHEN ${percent("kind")} < 1 THEN 3 ELSE n % 3 END`,
    reporter: owner("signal"),
    signal_hash: hash("signal"),
    block_number: "n",
  },
  total: {
    subject: "(ARRAY['receipts_by_merchant','receipts_by_service','attestations_by_attester'])[1 + n % 3]",
    key: `CASE n % 3 WHEN 2 THEN ${hex(40, "operator", "n")} ELSE n::text END`,
    count: "n",
    marked: "n % 10",
    volume: "n::numeric * 1000",
    protocol_fees: "0",
  },
  event_log: {
    id: "lpad((n / 3)::text, 12, '0') || '-' || lpad((n % 3)::text, 6, '0')",
    block_hash: hex(64, "block", "n / 3"),
    block_timestamp: time,
    tx_hash: hex(64, "transaction", "n / 3"),
    contract: "'IntentBook'",
    name: "'IntentCancelled'",
    args: "'{}'",
  },
};

/** The tables that are filled, and so must not be read from end to end for a page. */
export const largeTables: ReadonlySet<string> = new Set(Object.keys(tables));

/** Fills every table of an empty index with this many rows, as an index has them that is long in use. */
export async function makeRows(pool: pg.Pool, rows: number): Promise<void> {
  for (const [table, columns] of Object.entries(tables)) {
    const names = Object.keys(columns)
      .map((name) => `"${name}"`)
      .join(", ");
    await pool.query(
      `INSERT INTO "${table}" (${names}) SELECT ${Object.values(columns).join(", ")} FROM generate_series(1, ${rows}) AS n, (SELECT ${rows} AS rows) AS size`,
    );
    await pool.query(`VACUUM ANALYZE "${table}"`);
  }
}
