import { join } from "node:path";
import { readMigrationFiles } from "drizzle-orm/migrator";
import type { ClientBase } from "pg";
import { projectRoot } from "../../config/project-root";

/** Advisory lock key. Arbitrary, but equal in all processes that migrate the store. */
export const MIGRATION_LOCK = 4_027_311;

const migrationsFolder = join(projectRoot, "api", "offchain", "migrations");

/** The times that identify the store's migrations, in their order. */
export const migrationTimes = (): number[] =>
  readMigrationFiles({ migrationsFolder }).map(({ folderMillis }) => folderMillis);

/** The time of the store's last migration. Undefined without a store. */
export async function appliedMigration(client: ClientBase): Promise<number | undefined> {
  const { rows: found } = await client.query("SELECT to_regclass('offchain.migration') IS NOT NULL AS found");
  if (!found[0]?.found) return undefined;
  const { rows } = await client.query<{ time: string | null }>(
    "SELECT max(created_at)::text AS time FROM offchain.migration",
  );
  const time = rows[0]?.time ?? null;
  return time === null ? undefined : Number(time);
}

/**
 * Creates the store, or migrates it, in the caller's transaction. The caller holds {@link MIGRATION_LOCK}. With `until`, the
 * migration of that time is the last one.
 */
export async function migrateStore(client: ClientBase, until = Number.POSITIVE_INFINITY): Promise<void> {
  await client.query("CREATE SCHEMA IF NOT EXISTS offchain");
  // The table that Drizzle's migrator creates, which migrated earlier versions.
  await client.query(
    "CREATE TABLE IF NOT EXISTS offchain.migration (id SERIAL PRIMARY KEY, hash text NOT NULL, created_at bigint)",
  );
  const applied = (await appliedMigration(client)) ?? 0;
  for (const { sql, hash, folderMillis } of readMigrationFiles({ migrationsFolder })) {
    if (folderMillis <= applied || folderMillis > until) continue;
    for (const statement of sql) await client.query(statement);
    await client.query("INSERT INTO offchain.migration (hash, created_at) VALUES ($1, $2)", [hash, folderMillis]);
  }
}
