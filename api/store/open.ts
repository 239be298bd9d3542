import { fileURLToPath } from "node:url";
import { drizzle } from "drizzle-orm/node-postgres";
import { migrate } from "drizzle-orm/node-postgres/migrator";
import type { PgDatabase, PgQueryResultHKT } from "drizzle-orm/pg-core";
import type { Pool, PoolClient } from "pg";
import { PreparedPool, STATEMENT_MS } from "../database/prepared-pool";

/** The off-chain database. */
export type StoreDatabase = PgDatabase<PgQueryResultHKT>;

export type Store = { db: StoreDatabase; close: () => Promise<void> };

type Options = {
  databaseUrl: string;
  maxConnections?: number;
  /** Called when an idle connection fails. */
  onIdleError: (error: Error) => void;
};

const migrations = {
  migrationsFolder: fileURLToPath(new URL("migrations", import.meta.url)),
  migrationsSchema: "offchain",
  migrationsTable: "migration",
};

const casing = "snake_case";

/** Advisory lock key. Arbitrary, but equal in all processes that migrate the store. */
const MIGRATION_LOCK = 4_027_311;

const CONNECT_MS = 3_000;

/** A statement that waits longer for a lock fails. */
const LOCK_MS = 5_000;

function openPool({ databaseUrl, maxConnections = 10, onIdleError }: Options): Pool {
  // Acknowledged writes must be durable, whatever the server's default is.
  const options = `-c synchronous_commit=on -c lock_timeout=${LOCK_MS} -c statement_timeout=${STATEMENT_MS}`;
  const limits = { max: maxConnections, connectionTimeoutMillis: CONNECT_MS };
  const pool = new PreparedPool({ connectionString: databaseUrl, options, ...limits });
  pool.on("error", onIdleError);
  return pool;
}

/** Connects to the off-chain store without migrations. Its tables may not exist yet. */
export function connectStore(options: Options): Store {
  const pool = openPool(options);
  return { db: drizzle(pool, { casing }), close: () => pool.end() };
}

/** Runs pending migrations under an advisory lock and opens the off-chain store. */
export async function openStore(options: Options): Promise<Store> {
  const pool = openPool(options);
  try {
    await withClient(pool, async (client) => {
      // Another process may be migrating, and a migration may take long.
      await client.query("SET lock_timeout = 0; SET statement_timeout = 0");
      await client.query("SELECT pg_advisory_lock($1)", [MIGRATION_LOCK]);
      try {
        await migrate(drizzle(client, { casing }), migrations);
      } finally {
        await client.query("SELECT pg_advisory_unlock($1)", [MIGRATION_LOCK]);
        await client.query("RESET lock_timeout; RESET statement_timeout");
      }
    });
  } catch (error) {
    await pool.end();
    throw error;
  }
  return { db: drizzle(pool, { casing }), close: () => pool.end() };
}

async function withClient(pool: Pool, use: (client: PoolClient) => Promise<void>): Promise<void> {
  const client = await pool.connect();
  try {
    await use(client);
  } finally {
    client.release();
  }
}
