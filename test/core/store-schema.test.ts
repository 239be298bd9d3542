import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { migrateStore } from "../../api/offchain/migrate";
import { openStore } from "../../api/offchain/open";
import * as schema from "../../api/offchain/tables";
import { createTestDatabase, type TestDatabase } from "../support/database";

// Node can't load its ES module build.
const { generateDrizzleJson, generateMigration } = createRequire(import.meta.url)(
  "drizzle-kit/api",
) as typeof import("drizzle-kit/api");

type Snapshot = ReturnType<typeof generateDrizzleJson>;

const snapshotOf = (tables: Record<string, unknown>): Snapshot =>
  generateDrizzleJson(tables, undefined, ["offchain"], "snake_case");

const migrationsFolder = resolve(import.meta.dirname, "..", "..", "api", "offchain", "migrations");
const metaFolder = join(migrationsFolder, "meta");
type Journal = { entries: { idx: number; version: string; when: number; tag: string; breakpoints: boolean }[] };
const readJournal = () => JSON.parse(readFileSync(join(metaFolder, "_journal.json"), "utf8")) as Journal;
const newestSnapshot = () => {
  const file = readdirSync(metaFolder)
    .filter((name) => name.endsWith("_snapshot.json"))
    .sort()
    .at(-1);
  return JSON.parse(readFileSync(join(metaFolder, file ?? ""), "utf8")) as Snapshot;
};

describe("the tables of the store", () => {
  const databases: TestDatabase[] = [];
  const query = async ({ url }: TestDatabase, ...statements: string[]): Promise<unknown[]> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      let rows: unknown[] = [];
      for (const statement of statements) rows = (await client.query(statement)).rows;
      return rows;
    } finally {
      await client.end();
    }
  };
  /** Columns, constraints and indexes, except drizzle's own table of migrations. */
  const tablesOf = async (database: TestDatabase) => ({
    columns: await query(
      database,
      `SELECT table_name, column_name, data_type, numeric_precision, is_nullable, column_default, is_identity
       FROM information_schema.columns WHERE table_schema = 'offchain' AND table_name <> 'migration' ORDER BY 1, 2`,
    ),
    constraints: await query(
      database,
      `SELECT conname, pg_get_constraintdef(c.oid) AS definition FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid
       WHERE t.relnamespace = 'offchain'::regnamespace AND t.relname <> 'migration' AND c.contype NOT IN ('n', 't') ORDER BY 1`,
    ),
    indexes: await query(
      database,
      "SELECT indexdef FROM pg_indexes WHERE schemaname = 'offchain' AND tablename <> 'migration' ORDER BY indexname",
    ),
  });

  let migrated: TestDatabase;
  beforeAll(async () => {
    migrated = await createTestDatabase("store_migrated");
    databases.push(migrated);
    const store = await openStore({ databaseUrl: migrated.url, onIdleError: () => {} });
    await store.close();
  });
  afterAll(async () => {
    for (const database of databases) await database.drop();
  });

  it("from the migrations match schema.ts", async () => {
    const generated = await createTestDatabase("store_generated");
    databases.push(generated);
    await query(
      generated,
      "CREATE SCHEMA offchain",
      // Drizzle's schemas have no functions. A generated column uses this one.
      readFileSync(join(migrationsFolder, "0000_store.sql"), "utf8").split("--> statement-breakpoint")[0] ?? "",
      ...(await generateMigration(snapshotOf({}), snapshotOf({ ...schema }))),
    );
    const tables = await tablesOf(migrated);
    expect(tables).toEqual(await tablesOf(generated));
    expect(tables.columns.length).toBeGreaterThan(70);
    expect(tables.indexes.length).toBeGreaterThan(14);
  });

  it("have a migration for every change (`npx drizzle-kit generate`)", async () => {
    expect(await generateMigration(newestSnapshot(), snapshotOf({ ...schema }))).toEqual([]);
  });

  it("have migrations with ascending times, because Drizzle skips a migration that is older than the last applied one", () => {
    const journal = readJournal();
    const times = journal.entries.map(({ when }) => when);
    expect(times).toEqual([...new Set(times)].sort((one, other) => one - other));
  });

  it("are kept with their rows by a later version, which runs only its new migrations", async () => {
    const url = migrated.url;
    await query(migrated, "INSERT INTO offchain.stored_bytes VALUES ('client', '2026-11-18', 5)");
    const [secret] = await query(migrated, "SELECT value FROM offchain.secret");
    const folder = mkdtempSync(join(tmpdir(), "intentry-migrations-"));
    try {
      cpSync(migrationsFolder, folder, { recursive: true });
      const { entries, ...journal } = readJournal();
      const last = entries.at(-1);
      if (!last) throw new Error("There is no migration");
      const added = { ...last, idx: last.idx + 1, when: last.when + 1, tag: "9999_later" };
      writeFileSync(
        join(folder, "meta", "_journal.json"),
        JSON.stringify({ ...journal, entries: [...entries, added] }),
      );
      const change = `ALTER TABLE "offchain"."stored_bytes" ADD COLUMN "later" integer DEFAULT 7 NOT NULL;`;
      writeFileSync(join(folder, "9999_later.sql"), change);
      const migrate = () => migrateStore({ databaseUrl: url, poolMode: "session", migrationsFolder: folder });
      // Two processes of the later version start at the same time.
      await Promise.all([migrate(), migrate()]);
    } finally {
      rmSync(folder, { recursive: true });
    }
    expect(await query(migrated, "SELECT client, bytes, later FROM offchain.stored_bytes")).toEqual([
      { client: "client", bytes: "5", later: 7 },
    ]);
    expect(await query(migrated, "SELECT value FROM offchain.secret")).toEqual([secret]);
    const applied = await query(migrated, "SELECT created_at::float8 AS time FROM offchain.migration ORDER BY id");
    const times = readJournal().entries.map(({ when }) => when);
    expect(applied).toEqual([...times, (times.at(-1) ?? 0) + 1].map((time) => ({ time })));
  });
});
