import type pg from "pg";
import { participantTables } from "./participant-rows";
import { hash, hex, owned, owner, percent, skewedNumber, time, token } from "./row-values";

/** The number of distinct values. The fewer there are, the more rows share each value. */
const SOLVERS = 200_000;
const MERCHANTS = 200_000;
const CONTESTED_BIDS = 20_000;

/** The SQL of each table's columns, for row `n` of `rows`. */
export const tables: Readonly<Record<string, Record<string, string>>> = {
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
    // Some never expire, so that open intents are spread over the whole list.
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
    selected_solver: `CASE WHEN ${percent("selected")} < 80 THEN ${hex(40, "operator", skewedNumber(SOLVERS, "selected solver"))} END`,
    submitted_at: time,
    block_number: "n",
    tx_hash: hash("intent transaction"),
  },
  // The newest intent has many bids, to test paging through them. The others have one each.
  bid: {
    intent_id: `CASE WHEN n <= ${CONTESTED_BIDS} THEN rows ELSE n - ${CONTESTED_BIDS} END`,
    bid_id: `CASE WHEN n <= ${CONTESTED_BIDS} THEN n ELSE 1 END`,
    solver: hex(40, "operator", skewedNumber(SOLVERS, "bid")),
    amount_in: `1000 - ${percent("amount in")}`,
    amount_out: `1000 + ${percent("amount out")} * 100 + ${percent("more amount out")}`,
    fee: percent("fee"),
    valid_until: `CASE WHEN ${percent("valid")} < 50 THEN ${time} + 3600 ELSE 4000000000 END`,
    execution_hash: hash("execution"),
    created_at: time,
    block_number: "n",
    tx_hash: hash("bid transaction"),
  },
  bid_selection: { intent_id: "n", bid_id: "1", selected_at: time },
  fill: {
    intent_id: "n",
    owner: owner("intent"),
    input_token: token("input"),
    output_token: token("output"),
    solver: hex(40, "operator", skewedNumber(SOLVERS, "fill")),
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
    attester: hex(40, "operator", skewedNumber(SOLVERS, "attester")),
    schema_hash: hex(64, "schema", skewedNumber(40, "schema")),
    subject: owned("subject"),
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
    unfilled_selections: "1000000 + n % 7",
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
    merchant_id: skewedNumber(MERCHANTS, "service"),
    service_id: "'service ' || n",
    metadata_uri: "'ipfs://service/' || n",
    metadata_hash: hash("service"),
    capability_hash: hex(64, "capability", skewedNumber(500, "capability")),
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
    merchant_id: skewedNumber(MERCHANTS, "quote"),
    service_numeric_id: "n",
    agent: owner("quote"),
    token: token("quote"),
    facilitator: hex(40, "facilitator", skewedNumber(1_000, "quote facilitator")),
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
    committed_at: time,
    log_index: "n % 5",
    block_number: "n / 5",
  },
  receipt: {
    receipt_id: "n",
    quote_hash: hash("quote"),
    agent: owner("receipt"),
    merchant_id: skewedNumber(MERCHANTS, "receipt"),
    service_numeric_id: "n",
    token: token("receipt"),
    amount: "n",
    payment_rail: "n % 4",
    protocol_fee_bps: "0",
    protocol_fee_amount: "0",
    facilitator: hex(40, "facilitator", skewedNumber(1_000, "receipt facilitator")),
    result_hash: hash("result"),
    resource_hash: hash("resource"),
    payment_proof: "(ARRAY['settlement','facilitator','claim'])[1 + n % 3]",
    settled_at: time,
    block_number: "n",
    tx_hash: hash("receipt transaction"),
  },
  // Some quotes are paid by many settlements, and some plans are executed often.
  settlement: {
    execution_hash: hash("settlement"),
    quote_hash: hex(64, "quote", skewedNumber(200_000, "settled quote")),
    settlement_plan_hash: owned("plan"),
    payer: owner("payer"),
    token: token("settlement"),
    gross_amount: "n",
    executions: "1",
    executed_at: time,
    log_index: "n % 5",
    block_number: "n / 5",
    tx_hash: hash("settlement transaction"),
  },
  settlement_claim: {
    quote_hash: hash("quote"),
    result_hash: hash("result"),
    receipt_id: "n",
    payout_address: hex(40, "payout", "n"),
  },
  dispute: {
    dispute_id: "n",
    receipt_id: skewedNumber(200_000, "dispute"),
    merchant_id: skewedNumber(MERCHANTS, "dispute"),
    status: "(ARRAY['OPEN','RESOLVED','REJECTED'])[1 + n % 3]",
    opener: owner("dispute"),
    reason_hash: hash("reason"),
    block_number: "n",
  },
  trust_signal: {
    signal_id: "n",
    subject_type: "n % 4",
    subject_id: skewedNumber(MERCHANTS, "signal"),
    kind: `CASE WHEN ${percent("kind")} < 1 THEN 3 ELSE n % 3 END`,
    reporter: owner("signal"),
    signal_hash: hash("signal"),
    block_number: "n",
  },
  total: {
    subject: "(ARRAY['receipts_by_merchant','receipts_by_service','attestations_by_attester'])[1 + n % 3]",
    key: `CASE n % 3 WHEN 2 THEN ${hex(40, "operator", "n")} ELSE n::text END`,
    count: "n",
    active: "0",
    settled: "0",
    fulfilled: "CASE n % 3 WHEN 2 THEN 0 ELSE n % 10 END",
    revoked: "CASE n % 3 WHEN 2 THEN n % 10 ELSE 0 END",
    volume: "n::numeric * 1000",
    protocol_fees: "0",
  },
  // A row for each of the last hours.
  activity: {
    metric: "'fill_volume'",
    token: hex(40, "token", "1 + n % 50"),
    interval: "'hour'",
    start: "2000000000 - 2000000000 % 3600 - 3600 * (n / 50)",
    value: "n::numeric * 1000",
  },
  event_log: {
    id: "lpad((n / 3)::text, 12, '0') || '-' || lpad((n % 3)::text, 6, '0')",
    block_hash: hex(64, "block", "n / 3"),
    block_timestamp: time,
    tx_hash: hex(64, "transaction", "n / 3"),
    tx_from: hex(40, "owner", "n / 3"),
    contract: "'IntentBook'",
    name: "'IntentCancelled'",
    args: "'{}'",
  },
  ...participantTables,
};

/** Counts the generated intents, as the handlers do. */
const COUNT_SELECTIONS = `INSERT INTO open_selection (solver, deadline_hour, count)
  SELECT selected_solver, deadline - deadline % 3600, count(*) FROM intent
  WHERE status = 'OPEN' AND selected_solver IS NOT NULL GROUP BY 1, 2`;

/** The filled tables. No page may need a sequential scan of one. */
export const largeTables: ReadonlySet<string> = new Set([...Object.keys(tables), "open_selection"]);

/** The number of rows of each table. */
export type RowCounts = (table: string) => number;

/** Inserts rows, and creates the indexes after them, which takes a fraction of the time of inserting into indexes. */
async function fillTable(
  client: pg.PoolClient,
  table: string,
  columns: Record<string, string>,
  rows: number,
): Promise<void> {
  const { rows: indexes } = await client.query<{ name: string; definition: string }>(
    `SELECT indexrelid::regclass AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index
     WHERE indrelid = $1::regclass AND NOT indisprimary`,
    [`"${table}"`],
  );
  for (const { name } of indexes) await client.query(`DROP INDEX ${name}`);
  const names = Object.keys(columns).map((name) => `"${name}"`);
  await client.query(
    `INSERT INTO "${table}" (${names.join(", ")}) SELECT ${Object.values(columns).join(", ")}
     FROM generate_series(1, ${rows}) AS n, (SELECT ${rows} AS rows) AS size`,
  );
  for (const { definition } of indexes) await client.query(definition);
  await client.query(`VACUUM ANALYZE "${table}"`);
}

/** Fills every table of an empty index, to simulate a large index. */
export async function makeRows(pool: pg.Pool, rowsOf: RowCounts): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("SET maintenance_work_mem = '1GB'");
    for (const [table, columns] of Object.entries(tables)) await fillTable(client, table, columns, rowsOf(table));
    await client.query(COUNT_SELECTIONS);
    await client.query("VACUUM ANALYZE open_selection");
  } finally {
    client.release();
  }
}
