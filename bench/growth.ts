import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import pg from "pg";
import { zeroAddress } from "viem";
import { freePorts } from "../stack/roles/ports";
import { startGateway } from "../stack/supervision/gateway";
import { startPostgres } from "../test/support/postgres-server";
import { createLargeIndex, writeDeployment } from "./large-index";
import { listedTokens, rankingPaths, savePrices } from "./listed-tokens";
import type { RowCounts } from "./many-rows";
import { requestBytes, startLoadGenerator } from "./reads/load";
import { formatRate, median, tableHeader, tableRow } from "./report";
import { NOW } from "./row-values";

/**
 * Measures how reads slow down as the index grows: requests per second of the gateway, without its response cache, on indexes
 * of several sizes. Rounds alternate between them. Tables other than those of `--tables` have a million rows at most, because
 * ten million rows of all tables would take more than 100 GB.
 * `npm run bench growth -- [--rows 1000,1000000,10000000] [--rounds 5] [--tables intent,receipt]`
 */
const SCHEMA = "intentry_growth";
const CONNECTIONS = 4;
const WARM_UP_MS = 200;
const WINDOW_MS = 1_000;

const { values: options } = parseArgs({
  options: {
    rows: { type: "string", default: "1000,1000000,10000000" },
    rounds: { type: "string", default: "5" },
    tables: { type: "string", default: "intent,receipt,total,event_log" },
  },
});
const sizes = options.rows.split(",").map(Number);
const largest = new Set(options.tables.split(","));
const MAX_OTHER_ROWS = 1_000_000;
const MAX_ATTEMPTS = 10;

const rowCounts =
  (rows: number): RowCounts =>
  (table) =>
    largest.has(table) ? rows : Math.min(rows, MAX_OTHER_ROWS);

/** The requests of the benchmark by title, on an index of this size. */
async function pathsOf(apiUrl: string, pool: pg.Pool, rowsOf: RowCounts): Promise<Record<string, string>> {
  const deepIn = (table: string) => Math.floor(rowsOf(table) * 0.9);
  const cursorAt = async (list: string, table: string) => {
    // The first attempts on a large index read it from disk, and may exceed the time limit of a query.
    for (let attempt = 1; ; attempt++) {
      const response = await fetch(`${apiUrl}${list}?limit=1&offset=${deepIn(table)}`);
      const body = (await response.json()) as { pagination: { next_cursor: string } };
      if (response.ok) return body.pagination.next_cursor;
      if (attempt === MAX_ATTEMPTS) throw new Error(`${response.url}: ${response.status} ${JSON.stringify(body)}`);
    }
  };
  const { rows: found } = await pool.query(
    `SELECT (SELECT owner FROM intent GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1) AS owner,
       (SELECT tx_hash FROM event_log ORDER BY id DESC LIMIT 1) AS tx_hash,
       (SELECT merchant_id FROM receipt GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1) AS merchant_id,
       (SELECT token FROM receipt GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1) AS paid,
       (SELECT solver FROM bid GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1) AS solver,
       (SELECT input_token FROM fill GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1) AS token`,
  );
  const { owner, tx_hash, merchant_id, paid, solver, token } = found[0] as Record<string, string>;
  // There is an intent and a fill every 30 s.
  const middle = NOW - BigInt(15 * rowsOf("intent"));
  return {
    "one agent": `/agents/${deepIn("agent")}`,
    "one intent": `/intents/${deepIn("intent")}`,
    "intents, first page": "/intents",
    "intents, by cursor": `/intents?cursor=${await cursorAt("/intents", "intent")}`,
    "intents, offset of 90 %": `/intents?offset=${deepIn("intent")}`,
    "intents, open": "/intents?status=open",
    "intents, of the most frequent owner": `/intents?owner=${owner}`,
    "intents, oldest first since a time": `/intents?sort=oldest&from=${middle}`,
    "intents, earliest deadline": "/intents?status=open&sort=deadline",
    "bids of the most frequent solver": `/bids?solver=${solver}`,
    "fills of the most frequent token": `/fills?token=${token}`,
    "fills before a time": `/fills?to=${middle}`,
    "bids of a contested intent": `/intents/${rowsOf("bid")}/bids`,
    "receipts, first page": "/receipts",
    "receipts, by cursor": `/receipts?cursor=${await cursorAt("/receipts", "receipt")}`,
    "receipts, of the most frequent merchant": `/receipts?merchant_id=${merchant_id}`,
    "receipts, largest in a token": `/receipts?token=${paid}&sort=amount`,
    "receipts, of a merchant with a total": `/receipts?merchant_id=${merchant_id}&total=true`,
    "quotes, not settled": "/quotes?settled=false",
    "solvers, first page": "/solvers",
    "transaction explained": `/tx/${tx_hash}/explain`,
    analytics: "/analytics/commerce",
    reputation: `/merchants/${merchant_id}/reputation`,
    "reputation of an agent": `/agents/${deepIn("agent")}/reputation`,
    "trust in the most frequent merchant": `/trust/merchant/${merchant_id}?amount=1000&token=${zeroAddress}`,
    "trust in an agent": `/trust/agent/${deepIn("agent")}`,
    "trust in a solver": `/trust/solver/${deepIn("solver")}`,
    "prices of a token": `/tokens/${[...listedTokens.keys()][0]}/prices?interval=hour`,
    ...rankingPaths(deepIn("solver"), rowsOf("bid")),
  };
}

const stops: (() => unknown)[] = [];

/** Waits until the gateway has read the events of the whole log for metadata, so that this does not slow down the reads. */
async function metadataIsRead(pool: pg.Pool): Promise<void> {
  const isTrue = async (condition: string) =>
    (await pool.query<{ yes: boolean }>(`SELECT ${condition} AS yes`)).rows[0]?.yes;
  while (!(await isTrue("to_regclass('offchain.metadata_feed') IS NOT NULL"))) await setTimeout(1_000);
  const isRead = "EXISTS (SELECT FROM offchain.metadata_feed WHERE event_id = (SELECT max(id) FROM event_log))";
  while (!(await isTrue(isRead))) await setTimeout(1_000);
}

/** Creates an index of this size and starts a gateway on it. */
async function serveIndex(createDatabase: (name: string) => Promise<string>, rows: number) {
  const databaseUrl = await createDatabase(`rows_${rows}`);
  const pool = new pg.Pool({ connectionString: databaseUrl, options: `-c search_path=${SCHEMA}` });
  stops.push(() => pool.end());
  const rowsOf = rowCounts(rows);
  const contracts = await createLargeIndex(pool, databaseUrl, SCHEMA, rowsOf);
  const stateFolder = await mkdtemp(join(tmpdir(), "intentry-growth-"));
  stops.push(() => rm(stateFolder, { recursive: true, force: true }));
  await writeDeployment(stateFolder, "http://127.0.0.1:1", contracts, [...listedTokens.values()]);
  const [port = 0] = await freePorts(1);
  const gateway = await startGateway({
    env: {
      PATH: process.env.PATH,
      NODE_ENV: "production",
      INTENTRY_DIR: stateFolder,
      DATABASE_URL: databaseUrl,
      INDEX_SCHEMA: SCHEMA,
      API_PORT: String(port),
      RESPONSE_CACHE_BYTES: "0",
    },
  });
  stops.push(() => gateway.stop());
  await gateway.listening;
  await metadataIsRead(pool);
  await savePrices(pool);
  return { rows, port, paths: await pathsOf(`http://127.0.0.1:${port}`, pool, rowsOf) };
}

try {
  const postgres = await startPostgres();
  stops.push(postgres.stop);
  const load = await startLoadGenerator();
  stops.push(load.stop);
  const servers = [];
  for (const rows of sizes) servers.push(await serveIndex(postgres.createDatabase, rows));
  const [smallest] = servers;

  const titles = sizes.map((rows) => `${rows.toLocaleString("en-US")} rows`);
  console.log(`\nRequests/s, ${CONNECTIONS} connections, median of ${options.rounds}\n`);
  console.log(tableHeader(["Read", ...titles, ...titles.slice(1).map((title) => `times slower at ${title}`)]));
  for (const title of Object.keys(smallest?.paths ?? {})) {
    const rates = servers.map((): number[] => []);
    for (let round = 0; round < Number(options.rounds); round++)
      for (const [index, { port, paths }] of servers.entries()) {
        const { request } = requestBytes({ method: "GET", path: paths[title] ?? "" });
        const job = { port, request, connections: CONNECTIONS, warmUpMs: WARM_UP_MS, windowMs: WINDOW_MS };
        // The other reads are still measured after an error, because filling the tables takes most of the time.
        const rate = await load.measure(job).catch((error: Error) => {
          console.error(error.message);
          process.exitCode = 1;
          return 0;
        });
        rates[index]?.push(rate);
      }
    const [first = 0, ...larger] = rates.map(median);
    const slower = larger.map((rate) => (first / rate).toFixed(2));
    console.log(tableRow([title, ...[first, ...larger].map(formatRate), ...slower]));
  }
} finally {
  for (const stop of stops.reverse()) await stop();
}
