import { createHash, randomUUID } from "node:crypto";
import { createWriteStream, existsSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import pg from "pg";
import { to as copyTo } from "pg-copy-streams";
import { appliedMigration } from "../../api/offchain/migrate";
import { withClient } from "../index-builds";
import { countLines, END_OF_ROWS, headerOf, lineOf, type TableHeader, type TableSummary } from "./format";
import { columnsOf, sequencesOf, storedTables } from "./tables";

/** The store can't be backed up. The message tells the operator what to do. */
class CannotBackUp extends Error {
  override name = "CannotBackUp";
}

/** What a backup contains. */
export type BackedUp = {
  tables: TableSummary[];
  /** The size of the compressed file. */
  bytes: number;
};

const nameOf = (table: string) => `offchain.${pg.escapeIdentifier(table)}`;

/** A snapshot of the store. The locks keep a migration from changing the tables meanwhile. */
async function beginSnapshot(client: pg.Client): Promise<{ migration: number; tables: string[] }> {
  await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
  // Large stores take longer than a request may.
  await client.query("SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0");
  // The text of some types depends on these.
  await client.query("SET LOCAL DateStyle = ISO; SET LOCAL TimeZone = 'UTC'; SET LOCAL bytea_output = hex");
  const migration = await appliedMigration(client);
  if (migration === undefined)
    throw new CannotBackUp(
      "This database has no store yet. The first start of the service creates it. Check DATABASE_URL.",
    );
  const tables = await storedTables(client);
  await client.query(`LOCK TABLE ${tables.map(nameOf).join(", ")} IN ACCESS SHARE MODE`);
  return { migration, tables };
}

/** The next value of each sequence of a table. Sequences have no snapshots, so it may be later than the last row's. */
async function nextValues(client: pg.Client, table: string): Promise<TableHeader["sequences"]> {
  const values: TableHeader["sequences"] = {};
  for (const { column, sequence } of await sequencesOf(client, nameOf(table))) {
    const { rows } = await client.query<{ next: string }>(
      `SELECT (last_value + is_called::int)::text AS next FROM ${sequence}`,
    );
    values[column] = rows[0]?.next ?? "1";
  }
  return values;
}

/** The lines of a backup. Calls `onTable` after each table. */
async function* linesOf(client: pg.Client, onTable: (table: TableSummary) => void): AsyncGenerator<Buffer> {
  const total = createHash("sha256");
  const counted = (chunk: Buffer) => {
    total.update(chunk);
    return chunk;
  };
  const { migration, tables } = await beginSnapshot(client);
  const { rows: server } = await client.query<{ version: string }>(
    "SELECT current_setting('server_version') AS version",
  );
  const time = new Date().toISOString();
  yield counted(lineOf(headerOf({ migration, server: server[0]?.version ?? "", time })));
  const summaries: TableSummary[] = [];
  for (const table of tables) {
    const columns = await columnsOf(client, nameOf(table));
    const header: TableHeader = { table, columns, sequences: await nextValues(client, table) };
    yield counted(lineOf(header));
    const hash = createHash("sha256");
    let [rowCount, bytes] = [0, 0];
    const names = columns.map(pg.escapeIdentifier).join(", ");
    const rows: AsyncIterable<Buffer> = client.query(
      copyTo(`COPY ${nameOf(table)} (${names}) TO STDOUT (FORMAT text, ENCODING 'UTF8')`),
    );
    for await (const chunk of rows) {
      hash.update(chunk);
      rowCount += countLines(chunk);
      bytes += chunk.length;
      yield counted(chunk);
    }
    yield counted(Buffer.from(END_OF_ROWS));
    const summary = { name: table, rows: rowCount, bytes, sha256: hash.digest("hex") };
    summaries.push(summary);
    onTable(summary);
  }
  await client.query("COMMIT");
  yield lineOf({ tables: summaries, sha256: total.digest("hex") });
}

/** Writes a backup of the store to a stream, with the state of one point in time. Returns the tables and the size. */
export async function backUpTo(databaseUrl: string, output: Writable, signal?: AbortSignal): Promise<BackedUp> {
  const tables: TableSummary[] = [];
  let bytes = 0;
  await withClient(databaseUrl, (client) =>
    pipeline(
      Readable.from(
        linesOf(client, (table) => tables.push(table)),
        { objectMode: false },
      ),
      createGzip(),
      async function* (compressed: AsyncIterable<Buffer>) {
        for await (const chunk of compressed) {
          bytes += chunk.length;
          yield chunk;
        }
      },
      output,
      // Standard output can't be closed.
      { signal, end: output !== process.stdout },
    ),
  );
  return { tables, bytes };
}

/**
 * Writes a backup of the store to a new file, which only its owner can read: it contains signed payments and the key of
 * cursors. The file has its name only once it is complete and on disk.
 *
 * @example
 * const { tables, bytes } = await backUp(databaseUrl, "store.backup.gz");
 */
export async function backUp(databaseUrl: string, file: string, signal?: AbortSignal): Promise<BackedUp> {
  if (existsSync(file)) throw new CannotBackUp(`${file} exists. Remove it, or choose another name.`);
  const scratch = `${file}.${randomUUID()}.partial`;
  try {
    const output = createWriteStream(scratch, { flags: "wx", mode: 0o600, flush: true });
    const result = await backUpTo(databaseUrl, output, signal);
    await rename(scratch, file);
    await syncFolder(dirname(file));
    return result;
  } catch (error) {
    await rm(scratch, { force: true });
    throw error;
  }
}

/** Makes a rename durable. Windows can't open folders. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * The default name of a backup.
 *
 * @example
 * backupName(new Date("2026-11-16T09:30:00Z")) // "store-20261116T093000Z.backup.gz"
 */
export const backupName = (time: Date): string =>
  `store-${time
    .toISOString()
    .replace(/\.\d+Z$/, "Z")
    .replaceAll(/[-:]/g, "")}.backup.gz`;
