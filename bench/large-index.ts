import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type pg from "pg";
import { LOCAL_CHAIN_ID, type LocalDeployment, localDeploymentFile } from "../config/networks";
import type { ListedToken } from "../config/token-list";
import { startChain } from "../stack/local/chain";
import { type Contracts, deploy } from "../stack/local/deploy";
import { freePorts } from "../stack/roles/ports";
import { historyIndexed, startIndexer } from "../stack/supervision/indexer";
import { largeTables, makeRows, type RowCounts } from "./many-rows";
import { NOW } from "./row-values";

/** Writes the deployment of a local chain, from which the indexer and the gateway read its URL and contracts. */
export async function writeDeployment(
  stateFolder: string,
  rpcUrl: string,
  contracts: Contracts,
  tokens?: readonly ListedToken[],
): Promise<void> {
  const unused = "http://127.0.0.1:1";
  const urls = { rpcUrl, apiUrl: unused, ponderUrl: unused };
  const list = tokens && { native: [], sequencer: null, tokens: [...tokens] };
  const deployment: LocalDeployment = { ...urls, chainId: LOCAL_CHAIN_ID, contracts, tokens: list };
  await writeFile(localDeploymentFile(stateFolder), JSON.stringify(deployment));
}

/** Lets Ponder create its tables and indexes, on an empty chain. */
async function makeTables(databaseUrl: string, schema: string): Promise<Contracts> {
  const [port = 0, ponderPort = 0] = await freePorts(2);
  const stateFolder = await mkdtemp(join(tmpdir(), "intentry-large-index-"));
  const chain = await startChain({ port });
  try {
    const contracts = await deploy(chain.client);
    await writeDeployment(stateFolder, chain.rpcUrl, contracts);
    const env = { ...process.env, INTENTRY_DIR: stateFolder, DATABASE_URL: databaseUrl };
    const indexer = startIndexer({ ponderPort, schema, env });
    await historyIndexed(indexer, ponderPort);
    await indexer.stop();
    return contracts;
  } finally {
    await chain.child.stop();
    await rm(stateFolder, { recursive: true, force: true });
  }
}

/** Checks that the indexes exist, without which the plans are meaningless, and disables Ponder's triggers for the inserts. */
async function prepareTables(pool: pg.Pool, schema: string): Promise<void> {
  const { rows: indexes } = await pool.query<{ tablename: string }>(
    "SELECT tablename FROM pg_indexes WHERE schemaname = $1 AND indexname NOT LIKE '%pkey'",
    [schema],
  );
  const indexed = new Set(indexes.map(({ tablename }) => tablename));
  for (const table of ["intent", "bid", "receipt", "quote", "trust_signal", "total"])
    if (!indexed.has(table)) throw new Error(`Table ${table} has no index besides its primary key`);
  console.error(`${indexes.length} indexes besides the primary keys`);
  for (const table of largeTables) await pool.query(`ALTER TABLE "${table}" DISABLE TRIGGER USER`);
}

/**
 * Makes the block of the last event the newest and finalized one, at the time until which the rows were generated. A
 * checkpoint starts with the timestamp in ten digits, and has the block number in its digits 27 to 42.
 */
const finalize = (pool: pg.Pool) =>
  pool.query(
    `UPDATE _ponder_checkpoint SET ${["latest", "safe", "finalized"]
      .map(
        (name) =>
          `${name}_checkpoint = '${NOW}' || substr(${name}_checkpoint, 11, 16) || '0000' || last.block || repeat('9', 33)`,
      )
      .join(", ")}
     FROM (SELECT left(max(id), 12) AS block FROM event_log) AS last`,
  );

/**
 * Creates a large index. `pool` must use the schema. Returns the contracts of the chain, which
 * has ended.
 */
export async function createLargeIndex(
  pool: pg.Pool,
  databaseUrl: string,
  schema: string,
  rowsOf: RowCounts,
): Promise<Contracts> {
  const contracts = await makeTables(databaseUrl, schema);
  await prepareTables(pool, schema);
  console.error(
    `Filling ${largeTables.size} tables with ${[...new Set([...largeTables].map(rowsOf))].join(" or ")} rows`,
  );
  await makeRows(pool, rowsOf);
  await finalize(pool);
  return contracts;
}
