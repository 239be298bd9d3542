import { drizzle } from "drizzle-orm/node-postgres";
import type { PgDatabase, PgQueryResultHKT } from "drizzle-orm/pg-core";
import type { Pool, PoolClient } from "pg";
import type { PoolMode } from "../../config/variables/database";
import { openPool } from "../indexed/open-pool";
import { STATEMENT_MS } from "../indexed/prepared-pool";
import { watchPool } from "../telemetry/scrape";
import { MIGRATION_LOCK, migrateStore } from "./migrate";

/** The off-chain database. */
export type StoreDatabase = PgDatabase<PgQueryResultHKT>;

export type Store = { db: StoreDatabase; close: () => Promise<void> };

type Options = {
  databaseUrl: string;
  /** Default: session. */
  poolMode?: PoolMode;
  maxConnections?: number;
  /** Called when an idle connection fails. */
  onIdleError: (error: Error) => void;
};

const casing = "snake_case";

/** The maximum number of connections of one gateway process to the store. */
export const STORE_CONNECTIONS = 10;

/** A statement that waits longer for a lock fails. */
const LOCK_MS = 5_000;

function openStorePool({
  databaseUrl,
  poolMode = "session",
  maxConnections = STORE_CONNECTIONS,
  onIdleError,
}: Options): { pool: Pool; close: Store["close"] } {
  const pool = openPool({
    databaseUrl,
    poolMode,
    max: maxConnections,
    // Acknowledged writes must be durable, whatever the server's default is.
    settings: { synchronous_commit: "on", lock_timeout: LOCK_MS, statement_timeout: STATEMENT_MS },
  });
  pool.on("error", onIdleError);
  const unwatch = watchPool("store", pool);
  const close = () => {
    unwatch();
    return pool.end();
  };
  return { pool, close };
}

/** Connects to the off-chain store without migrations. Its tables may not exist yet. */
export function connectStore(options: Options): Store {
  const { pool, close } = openStorePool(options);
  return { db: drizzle(pool, { casing }), close };
}

/** Runs pending migrations under an advisory lock and opens the off-chain store. */
export async function openStore(options: Options): Promise<Store> {
  const { pool, close } = openStorePool(options);
  try {
    await withClient(pool, async (client) => {
      await client.query("BEGIN");
      try {
        // Another process may be migrating, and a migration may take long.
        await client.query("SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0");
        await client.query("SELECT pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
        await migrateStore(client);
        await client.query("COMMIT");
      } catch (error) {
        await client.query("ROLLBACK");
        throw error;
      }
    });
  } catch (error) {
    await close();
    throw error;
  }
  return { db: drizzle(pool, { casing }), close };
}

async function withClient(pool: Pool, use: (client: PoolClient) => Promise<void>): Promise<void> {
  const client = await pool.connect();
  try {
    await use(client);
  } finally {
    client.release();
  }
}
