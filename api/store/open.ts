import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { PGlite } from "@electric-sql/pglite";
import { drizzle as drizzlePostgres } from "drizzle-orm/node-postgres";
import { migrate as migratePostgres } from "drizzle-orm/node-postgres/migrator";
import type { PgDatabase, PgQueryResultHKT } from "drizzle-orm/pg-core";
import { drizzle as drizzlePglite } from "drizzle-orm/pglite";
import { migrate as migratePglite } from "drizzle-orm/pglite/migrator";
import { Pool, type PoolClient } from "pg";

/** The off-chain database, whichever it is. */
export type StoreDatabase = PgDatabase<PgQueryResultHKT>;

export type Store = { db: StoreDatabase; close: () => Promise<void> };

type Options = {
  /** A PostgreSQL database; unset, an embedded one in `folder`. */
  databaseUrl?: string;
  folder: string;
  /** Told of connections that break while nobody uses them. */
  onIdleError: (error: Error) => void;
};

const migrations = {
  migrationsFolder: fileURLToPath(new URL("migrations", import.meta.url)),
  migrationsSchema: "offchain",
  migrationsTable: "migration",
};

const casing = "snake_case";

/** Any number will do, as long as every process that migrates this store takes the same. */
const MIGRATION_LOCK = 4_027_311;

const CONNECT_MS = 3_000;

/** Opens the off-chain store, making or changing its tables first if need be. */
export const openStore = ({ databaseUrl, folder, onIdleError }: Options): Promise<Store> =>
  databaseUrl === undefined ? openEmbedded(folder) : openPostgres(databaseUrl, onIdleError);

async function openEmbedded(folder: string): Promise<Store> {
  await mkdir(folder, { recursive: true });
  const client = await PGlite.create(folder);
  const db = drizzlePglite(client, { casing });
  await migratePglite(db, migrations);
  return { db, close: () => client.close() };
}

async function openPostgres(connectionString: string, onIdleError: (error: Error) => void): Promise<Store> {
  // What was acknowledged must be on disk, whatever the database's own setting is.
  const options = "-c synchronous_commit=on";
  const pool = new Pool({ connectionString, options, max: 10, connectionTimeoutMillis: CONNECT_MS });
  pool.on("error", onIdleError);
  try {
    await withClient(pool, async (client) => {
      await client.query("SELECT pg_advisory_lock($1)", [MIGRATION_LOCK]);
      try {
        await migratePostgres(drizzlePostgres(client, { casing }), migrations);
      } finally {
        await client.query("SELECT pg_advisory_unlock($1)", [MIGRATION_LOCK]);
      }
    });
  } catch (error) {
    await pool.end();
    throw error;
  }
  return { db: drizzlePostgres(pool, { casing }), close: () => pool.end() };
}

async function withClient(pool: Pool, act: (client: PoolClient) => Promise<void>): Promise<void> {
  const client = await pool.connect();
  try {
    await act(client);
  } finally {
    client.release();
  }
}
