import type pg from "pg";
import { pino } from "pino";
import { clockAt } from "../api/core/clock";
import { createGateway } from "../api/gateway";
import { followHead } from "../api/index/head";
import { openStore } from "../api/store/open";
import { parseEnvironment } from "../config/environment";
import { LOCAL_CHAIN_ID } from "../config/networks";
import { startPostgres } from "../stack/postgres/test-server";
import { type RecordedIndex, recordedIndex } from "../test/support/recorded-index";
import { createLargeIndex } from "./large-index";
import { largeTables, NOW } from "./many-rows";

/**
 * Prints the time and the rows of searches among a million records with metadata. Fails if one scans a large table
 * sequentially. `npm run bench:search [-- ROWS]`
 */
const ROWS = Number(process.argv[2] ?? 1_000_000);
const SCHEMA = "intentry_search";
const SEARCHED = new Set(["agent", "merchant", "service", "solver", "solver_activity", "total", "receipt"]);

/** The metadata of the first records of each kind. All have the word "service", and few have a rare one. */
const metadataRows = (subject: string, table: string, uri: string, hash: string, rows: number) => `
  INSERT INTO offchain.resolved_metadata
    (chain_id, subject, subject_id, uri, hash, state, content_hash, content, name, description, tags, capabilities, is_remote, next_attempt_at)
  SELECT ${LOCAL_CHAIN_ID}, '${subject}', n, ${uri} || n, ${hash}, 'verified', '0x', '{}', 'Name ' || n,
    'A service of number ' || n || ' which ' || (ARRAY['translates','draws','forecasts','trades','counts'])[1 + n % 5],
    ARRAY['tag' || n % 1000], ARRAY['capability' || n % 100], false, NULL
  FROM generate_series(1, ${rows}) AS n LEFT JOIN ${table} ON true`;

async function fillMetadata(pool: pg.Pool): Promise<void> {
  const share = Math.floor(ROWS / 4);
  await pool.query("ALTER TABLE offchain.resolved_metadata DISABLE TRIGGER USER");
  const noHash = "(SELECT 1) AS one";
  await pool.query(metadataRows("agent", noHash, "'ipfs://agent/'", "NULL", share));
  await pool.query(metadataRows("solver", noHash, "'ipfs://solver/'", "NULL", share));
  for (const [subject, key] of [
    ["merchant", "merchant_id"],
    ["service", "service_numeric_id"],
  ] as const)
    await pool.query(
      metadataRows(subject, `${subject} AS record`, `'ipfs://${subject}/'`, "record.metadata_hash", share).replace(
        "ON true",
        `ON record.${key} = n`,
      ),
    );
  await pool.query("ALTER TABLE offchain.resolved_metadata ENABLE TRIGGER USER");
  await pool.query("VACUUM ANALYZE offchain.resolved_metadata");
}

/** A rare and a common text, ids, prefixes, and every filter. */
const searches = [
  "q=name 77",
  "q=tag77",
  "q=tag77&type=service&sort=price&no_disputes=true",
  "q=translates",
  "q=service",
  "q=service&type=solver",
  "q=service&type=service&sort=price&no_disputes=true&active=true&min_fulfilled=1",
  "q=12345",
  "q=0xabcd",
  "q=0x0000",
  "min_fulfilled=5",
  "type=merchant&min_fulfilled=5",
  "type=agent",
  "type=agent&offset=100000",
  "type=service&active=true",
];

type Node = { "Node Type": string; "Relation Name"?: string; Plans?: Node[] };
const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

const postgres = await startPostgres();
let index: RecordedIndex | undefined;
let closeStore: (() => Promise<void>) | undefined;
let failed = false;
try {
  const databaseUrl = await postgres.createDatabase("search");
  index = recordedIndex(databaseUrl, SCHEMA);
  const contracts = await createLargeIndex(index.pool, databaseUrl, SCHEMA, (table) =>
    SEARCHED.has(table) ? ROWS : 1_000,
  );
  const store = await openStore({ databaseUrl, onIdleError: console.error });
  closeStore = store.close;
  await fillMetadata(index.pool);
  const unused = async () => {
    throw new Error("A search reads the database only");
  };
  const gateway = createGateway(
    {
      db: index.db,
      clients: { chain: { getCode: unused, verifyTypedData: unused } },
      tokens: { find: unused },
      config: { ...parseEnvironment({}), chainId: LOCAL_CHAIN_ID, contracts, cursorSecret: async () => "bench" },
      store: async () => store.db,
      payments: undefined,
      events: { subscribe: unused },
      portfolio: { chains: [], snapshot: unused },
      head: followHead(index.db).read,
      readiness: unused,
      clock: async () => clockAt(NOW),
    },
    pino({ level: "silent" }),
  );
  for (const search of searches) {
    const address = `/search?${new URLSearchParams(search)}`;
    let found = 0;
    const queries = await index.queriesOf(async () => {
      const response = await gateway.request(address);
      const body = (await response.json()) as { results?: unknown[] };
      if (response.status !== 200) throw new Error(`${address}: ${JSON.stringify(body)}`);
      found = body.results?.length ?? 0;
    });
    // The response's headers need the index head, which a gateway shares between requests.
    const [query, ...others] = queries.filter(({ text }) => !text.includes("_ponder_checkpoint"));
    if (!query || others.length > 0) throw new Error(`${address} needs ${1 + others.length} queries`);
    const { rows } = await index.pool.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${query.text}`, query.parameters);
    const [plan] = rows[0]["QUERY PLAN"] as [{ Plan: Node; "Execution Time": number; "Planning Time": number }];
    const scanned = nodesOf(plan.Plan)
      .filter((node) => node["Node Type"] === "Seq Scan")
      .map((node) => node["Relation Name"] ?? "")
      .filter((table) => table === "resolved_metadata" || (largeTables.has(table) && SEARCHED.has(table)));
    const time = `${plan["Execution Time"].toFixed(1)} ms, planned in ${plan["Planning Time"].toFixed(1)} ms`;
    console.log(`${search}: ${found} results, ${time}${scanned.length > 0 ? `; scans ${scanned}` : ""}`);
    if (scanned.length > 0) failed = true;
  }
} finally {
  await index?.close();
  await closeStore?.();
  await postgres.stop();
}
if (failed) {
  console.error("A search scans a large table.");
  process.exitCode = 1;
} else console.log("Every search uses indexes.");
