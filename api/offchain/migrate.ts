import { join } from "node:path";
import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { migrate } from "drizzle-orm/node-postgres/migrator";
import { projectRoot } from "../../config/project-root";
import type { PoolMode } from "../../config/variables/database";
import { openPool } from "../indexed/open-pool";

/** Advisory lock key. Arbitrary, but equal in all processes that migrate the store. */
const MIGRATION_LOCK = 4_027_311;

const ownMigrations = join(projectRoot, "api", "offchain", "migrations");

type Options = { databaseUrl: string; poolMode: PoolMode; migrationsFolder?: string };

/**
 * Creates the store, or runs its pending migrations. One process migrates at a time: a transaction holds an advisory lock,
 * while Drizzle's migrator has another connection.
 */
export async function migrateStore({
  databaseUrl,
  poolMode,
  migrationsFolder = ownMigrations,
}: Options): Promise<void> {
  // Another process may be migrating, and a migration may take long.
  const settings = { lock_timeout: 0, statement_timeout: 0, idle_in_transaction_session_timeout: 0 };
  const pool = openPool({ databaseUrl, poolMode, max: 2, settings });
  // A broken connection also rejects the running query.
  pool.on("error", () => {});
  const db = drizzle(pool);
  try {
    await db.transaction(async (lock) => {
      await lock.execute(sql`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`);
      await migrate(db, { migrationsFolder, migrationsSchema: "offchain", migrationsTable: "migration" });
    });
  } finally {
    await pool.end();
  }
}
