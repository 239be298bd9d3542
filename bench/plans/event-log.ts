import { eq, getTableName } from "drizzle-orm";
import { toSnakeCase } from "drizzle-orm/casing";
import { getTableConfig, type PgTable } from "drizzle-orm/pg-core";
import type pg from "pg";
import type { AbiEvent } from "viem";
import { type Cursor, cursorOf } from "../../api/events/cursor";
import { eventLogIn } from "../../api/events/event-log";
import { candidateNames } from "../../api/events/filter";
import { newestEvents } from "../../api/events/newest-events";
import { eventId } from "../../common/rows/event-id";
import { protocolAbis } from "../../config/contracts";
import { eventLog, intent } from "../../ponder.schema";
import { argumentEncoder } from "../../src/lib/event-log";
import { startPostgres } from "../../test/support/postgres-server";
import { type RecordedIndex, recordedIndex } from "../../test/support/recorded-index";
import { tableHeader, tableRow } from "../report";

const SCHEMA = "intentry_event_log";
const EVENTS_PER_BLOCK = 3;
const LIMIT = 100;
const ROUNDS = 5;

/** 12 names of 100 rows each, with four pages of an index and one of the table for each row, would be more. */
const MAX_PAGES = 2_000;

/** The contract whose events no longer occur. */
const FORMER = "SolverRegistry";

/** An account without events. */
const ACCOUNT = `0x${"c3".repeat(20)}` as const;

/** A typical value of each type. */
const sampleOf = (type: string): unknown => {
  if (type === "address") return `0x${"a1".repeat(20)}`;
  if (type === "string") return "ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi";
  if (type === "bool") return true;
  if (type.startsWith("bytes")) return `0x${"b2".repeat(32)}`;
  return Number(/\d+/.exec(type)?.[0]) > 48 ? 1_234_567_890_123_456_789n : 7;
};

/** Each event of the protocol, with typical arguments as the index stores them. */
const kinds = Object.entries(protocolAbis).flatMap(([contract, abi]) =>
  (abi as readonly { type: string }[])
    .filter((item): item is AbiEvent => item.type === "event" && "name" in item && item.name !== "EIP712DomainChanged")
    .map(({ name, inputs }) => {
      const values = Object.fromEntries(inputs.map((input) => [input.name, sampleOf(input.type)]));
      return { contract, name, args: argumentEncoder(contract as keyof typeof protocolAbis, name)(values) };
    }),
);

const nameOf = (column: { name: string; keyAsName: boolean }) =>
  column.keyAsName ? toSnakeCase(column.name) : column.name;

const createTable = (pool: pg.Pool, table: PgTable) => {
  const columns = getTableConfig(table).columns.map((column) => `"${nameOf(column)}" ${column.getSQLType()} NOT NULL`);
  return pool.query(`CREATE TABLE ${getTableName(table)} (${columns.join(", ")})`);
};

/** Creates the indexes after the rows, as a backfill does. */
async function createIndexes(pool: pg.Pool): Promise<void> {
  const { columns, indexes } = getTableConfig(eventLog);
  const key = columns.filter(({ primary }) => primary).map(nameOf);
  await pool.query(`ALTER TABLE event_log ADD PRIMARY KEY (${key.join(", ")})`);
  for (const { config } of indexes) {
    const names = config.columns.map((column) => nameOf(column as never));
    await pool.query(`CREATE INDEX event_log_${names.join("_")} ON event_log (${names.join(", ")})`);
  }
}

/** Fills an event log. */
async function makeEventLog(pool: pg.Pool, rows: number): Promise<void> {
  await pool.query(`CREATE SCHEMA ${SCHEMA}`);
  await createTable(pool, eventLog);
  await createTable(pool, intent);
  const checkpoint = "0".repeat(26) + String(Math.ceil(rows / EVENTS_PER_BLOCK)).padStart(16, "0");
  await pool.query(`CREATE TABLE _ponder_meta AS SELECT 'app' AS key, '{"is_ready": 1}'::jsonb AS value`);
  await pool.query(`CREATE TABLE _ponder_checkpoint AS SELECT '${checkpoint}' AS finalized_checkpoint`);
  await pool.query("CREATE TABLE kind (number int, contract text, name text, args text)");
  for (const [number, { contract, name, args }] of kinds.entries())
    await pool.query("INSERT INTO kind VALUES ($1, $2, $3, $4)", [number, contract, name, args]);
  const former = kinds.flatMap(({ contract }, number) => (contract === FORMER ? [number] : []));
  const kindOf = `CASE WHEN n % ${kinds.length} IN (${former.join(", ")}) AND n > ${rows} / 10 THEN 0 ELSE n % ${kinds.length} END`;
  await pool.query(
    `INSERT INTO event_log (id, block_hash, block_timestamp, tx_hash, tx_from, tx_to, contract, name, args)
     SELECT lpad((n / ${EVENTS_PER_BLOCK})::text, 12, '0') || '-' || lpad((n % ${EVENTS_PER_BLOCK})::text, 6, '0'),
       '0x' || md5('block' || n / ${EVENTS_PER_BLOCK}) || md5('b' || n / ${EVENTS_PER_BLOCK}), 1700000000 + n,
       '0x' || md5('tx' || n / 2) || md5('t' || n / 2),
       '0x' || left(repeat(md5('from' || n / 2), 2), 40), '0x' || repeat('1', 40), contract, name, args
     FROM generate_series(0, ${rows - 1}) AS n
     JOIN kind ON number = ${kindOf}`,
  );
  await createIndexes(pool);
  await pool.query("VACUUM ANALYZE event_log");
}

type Node = { "Node Type": string; "Index Name"?: string; "Relation Name"?: string; Plans?: Node[] };
type Explained = {
  Plan: Node & { "Shared Hit Blocks": number; "Shared Read Blocks": number };
  "Execution Time": number;
};

const scansOf = (node: Node): string[] => [
  ...(/Scan/.test(node["Node Type"]) && (node["Index Name"] ?? node["Relation Name"])?.startsWith("event_log")
    ? [`${node["Node Type"]} (${node["Index Name"] ?? node["Relation Name"]})`]
    : []),
  ...(node.Plans ?? []).flatMap(scansOf),
];

type Measured = { plan: string; pages: number; ms: number };

/** The plan of a read's last query, the pages that it reads, and its shortest time. */
async function measure({ pool, queriesOf }: RecordedIndex, read: () => Promise<unknown>): Promise<Measured> {
  const query = (await queriesOf(read)).at(-1);
  if (!query) throw new Error("No query was sent");
  const measured: Measured = { plan: "", pages: 0, ms: Number.POSITIVE_INFINITY };
  for (let round = 0; round < ROUNDS; round++) {
    const { rows } = await pool.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${query.text}`, query.parameters);
    const [{ Plan: plan, "Execution Time": ms }] = rows[0]["QUERY PLAN"] as [Explained];
    measured.plan = [...new Set(scansOf(plan))].join(", ");
    measured.pages = plan["Shared Hit Blocks"] + plan["Shared Read Blocks"];
    measured.ms = Math.min(measured.ms, ms);
  }
  return measured;
}

async function cursorAt({ pool }: RecordedIndex, position: number): Promise<Cursor> {
  const id = eventId(BigInt(Math.floor(position / EVENTS_PER_BLOCK)), position % EVENTS_PER_BLOCK);
  const { rows } = await pool.query("SELECT block_hash FROM event_log WHERE id = $1", [id]);
  return cursorOf(id, rows[0].block_hash);
}

/** The reads of the event log, in the middle of a log of this size. */
async function readsOf(index: RecordedIndex, rows: number): Promise<Record<string, () => Promise<unknown>>> {
  const log = eventLogIn(index.db);
  const [middle, last] = [await cursorAt(index, Math.floor(rows / 2)), await cursorAt(index, rows - 1)];
  const namesOf = (contract: string) => kinds.filter((kind) => kind.contract === contract).map(({ name }) => name);
  const { rows: found } = await index.pool.query("SELECT tx_hash FROM event_log WHERE id = $1", [middle.eventId]);
  return {
    "the newest event": () => log.status(),
    "a page of a stream": () => log.rows(middle, last, LIMIT),
    "a page with one name": () => log.rows(middle, last, LIMIT, ["IntentFilled"]),
    "a page with the names of a contract": () => log.rows(middle, last, LIMIT, namesOf("IntentBook")),
    "a page with names that no longer occur": () => log.rows(middle, last, LIMIT, namesOf(FORMER)),
    "the newest events with one name": () => newestEvents(index.db, { names: ["IntentFilled"], limit: LIMIT }),
    "the newest events of an account": () =>
      newestEvents(index.db, { names: candidateNames({ account: ACCOUNT }), limit: 1_000, values: [ACCOUNT] }),
    "the events of a transaction": () =>
      index.db.select().from(eventLog).where(eq(eventLog.txHash, found[0].tx_hash)).orderBy(eventLog.id),
  };
}

async function printSizes({ pool }: RecordedIndex, rows: number): Promise<void> {
  const { rows: parts } = await pool.query<{ name: string; bytes: string }>(
    `SELECT 'table' AS name, pg_table_size('event_log') AS bytes
     UNION ALL SELECT indexrelid::regclass::text, pg_relation_size(indexrelid) FROM pg_index WHERE indrelid = 'event_log'::regclass`,
  );
  const total = parts.reduce((sum, { bytes }) => sum + Number(bytes), 0);
  console.log(`\n${rows.toLocaleString("en-US")} events, bytes per event\n`);
  console.log(tableHeader(["Part", "Bytes"]));
  for (const { name, bytes } of [...parts, { name: "all", bytes: String(total) }])
    console.log(tableRow([name, (Number(bytes) / rows).toFixed(0)]));
}

/**
 * Prints the size of the event log, and the plan, the pages and the time of each of its reads, on logs of several sizes. All
 * events of the protocol occur in equal parts, except those of one contract, which occur only in the first tenth. Returns the
 * reads that read more pages than a page of events can need.
 */
export async function planEventLog(sizes: readonly number[]): Promise<string[]> {
  const problems: string[] = [];
  const postgres = await startPostgres();
  try {
    const measured: { rows: number; reads: Record<string, Measured> }[] = [];
    for (const rows of sizes) {
      const index = recordedIndex(await postgres.createDatabase(`events_${rows}`), SCHEMA);
      try {
        await makeEventLog(index.pool, rows);
        await printSizes(index, rows);
        const reads: Record<string, Measured> = {};
        for (const [title, read] of Object.entries(await readsOf(index, rows)))
          reads[title] = await measure(index, read);
        measured.push({ rows, reads });
      } finally {
        await index.close();
      }
    }
    console.log(`\n${tableHeader(["Read", "Rows", "Pages", "ms", "Plan"])}`);
    for (const title of Object.keys(measured[0]?.reads ?? {}))
      for (const { rows, reads } of measured) {
        const { plan, pages, ms } = reads[title] ?? { plan: "", pages: 0, ms: 0 };
        const row = tableRow([title, rows.toLocaleString("en-US"), pages.toLocaleString("en-US"), ms.toFixed(2), plan]);
        console.log(row);
        if (pages > MAX_PAGES) problems.push(`too many pages: ${row}`);
      }
  } finally {
    await postgres.stop();
  }
  return problems;
}
