import { createHash } from "node:crypto";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { isDeepStrictEqual } from "node:util";
import { createGunzip } from "node:zlib";
import pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { z } from "zod";
import { appliedMigration, MIGRATION_LOCK, migrateStore, migrationTimes } from "../../api/offchain/migrate";
import { LEASE_MS } from "../../rpc/published-head";
import { withClient } from "../index-builds";
import { FORMAT_VERSION, Footer, Header, TableHeader, type TableSummary } from "./format";
import { IncompleteLines, LineReader } from "./line-reader";
import { countStored, sequencesOf, storedTables } from "./tables";

/** The backup can't be restored. The message tells the operator what to do. Nothing was changed. */
export class CannotRestore extends Error {
  override name = "CannotRestore";
}

const damaged = (detail: string) =>
  new CannotRestore(`The file is not a complete backup: ${detail}. Nothing was changed. Use another backup.`);

export type Restored = {
  tables: TableSummary[];
  /** When the backup was made. */
  time: string;
};

type Options = {
  databaseUrl: string;
  /** The compressed backup. */
  input: Readable;
  /** Whether to delete what the store contains. Without it, the store must be empty. */
  replace?: boolean;
};

const nameOf = (table: string) => `offchain.${pg.escapeIdentifier(table)}`;

/** How long to wait for running statements of other processes. */
const LOCK_MS = 10_000;

/** The number of rows that clients have stored in a database. */
export const storedRows = (databaseUrl: string): Promise<number> => withClient(databaseUrl, countStored);

/** Throws while a process of the service uses the store: it would serve cached answers of the old one. */
async function requireStopped(client: pg.ClientBase): Promise<void> {
  const { rows: found } = await client.query("SELECT to_regclass('offchain.chain_head') IS NOT NULL AS found");
  if (!found[0]?.found) return;
  const { rowCount } = await client.query(
    "SELECT 1 FROM offchain.chain_head WHERE renewed_at > clock_timestamp() - make_interval(secs => $1)",
    [LEASE_MS / 1_000],
  );
  if (rowCount !== 0)
    throw new CannotRestore(
      `A gateway or an indexer uses this store. Stop the service and retry after ${LEASE_MS / 1_000} s.`,
    );
}

/** Drops the present store, after checking that this is permitted. Returns its revision. */
async function clearStore(client: pg.ClientBase, replace: boolean): Promise<string> {
  if ((await appliedMigration(client)) === undefined) return "0";
  const tables = await storedTables(client);
  await client.query(`LOCK TABLE ${tables.map(nameOf).join(", ")} IN ACCESS EXCLUSIVE MODE`);
  await requireStopped(client);
  const stored = replace ? 0 : await countStored(client);
  if (stored > 0)
    throw new CannotRestore(
      `The store is not empty: it has ${stored} rows. Restore into another database, or add --replace to delete them.`,
    );
  const { rows } = tables.includes("revision")
    ? await client.query<{ number: string }>("SELECT number FROM offchain.revision")
    : { rows: [] };
  await client.query("DROP SCHEMA offchain CASCADE");
  return rows[0]?.number ?? "0";
}

function parseLine<Value>(schema: z.ZodType<Value>, line: string | undefined, what: string): Value {
  try {
    return schema.parse(JSON.parse(line ?? ""));
  } catch {
    throw damaged(line === undefined ? `${what} is missing` : `${what} can't be read`);
  }
}

/** Parses the header. The version comes first, because later formats may have other fields. */
function readHeader(line: string | undefined): z.infer<typeof Header> {
  const { version } = parseLine(Header.pick({ format: true, version: true }), line, "its header");
  if (version > FORMAT_VERSION)
    throw new CannotRestore(
      `The backup has format ${version}, and this version reads up to ${FORMAT_VERSION}. Use the version of Intentry that wrote it, or a newer one.`,
    );
  const header = parseLine(Header, line, "its header");
  const known = migrationTimes();
  if (!known.includes(header.migration))
    throw new CannotRestore(
      header.migration > (known.at(-1) ?? 0)
        ? "The backup is from a newer version of Intentry. Upgrade, and retry."
        : "The backup's store has a migration that this version does not know. Use the version of Intentry that wrote it.",
    );
  return header;
}

/** Loads the rows of a table, and continues its sequences. */
async function loadTable(client: pg.ClientBase, reader: LineReader, header: TableHeader): Promise<TableSummary> {
  const { table, columns, sequences } = header;
  const name = nameOf(table);
  // Triggers count changes for running gateways, one update of the same row for each. The revision is set at the end.
  await client.query(`SET CONSTRAINTS ALL IMMEDIATE; ALTER TABLE ${name} DISABLE TRIGGER USER`);
  await client.query(`DELETE FROM ${name}`);
  const hash = createHash("sha256");
  let bytes = 0;
  const measure = new Transform({
    transform(chunk: Buffer, _, done) {
      hash.update(chunk);
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  const names = columns.map(pg.escapeIdentifier).join(", ");
  const copy = client.query(copyFrom(`COPY ${name} (${names}) FROM STDIN (FORMAT text, ENCODING 'UTF8')`));
  await pipeline(Readable.from(reader.rows(), { objectMode: false }), measure, copy);
  for (const { column, sequence } of await sequencesOf(client, name)) {
    const next = sequences[column];
    if (next === undefined) throw damaged(`the sequence of ${table}.${column} is missing`);
    await client.query(`ALTER SEQUENCE ${sequence} RESTART WITH ${next}`);
  }
  await client.query(`ALTER TABLE ${name} ENABLE TRIGGER USER`);
  return { name: table, rows: copy.rowCount, bytes, sha256: hash.digest("hex") };
}

/** Loads all tables and verifies their counts and checksums. */
async function loadTables(client: pg.ClientBase, reader: LineReader): Promise<TableSummary[]> {
  const expected = await storedTables(client);
  const loaded: TableSummary[] = [];
  for (;;) {
    const digest = reader.digest();
    const line = await reader.line();
    const next = parseLine(z.union([TableHeader, Footer]), line, "the next table");
    if ("table" in next) {
      // Backups have the tables in this order, each once.
      if (next.table !== expected[loaded.length]) throw damaged(`table ${next.table} is not expected there`);
      loaded.push(await loadTable(client, reader, next));
      continue;
    }
    if (next.sha256 !== digest) throw damaged("its checksum is wrong");
    if (!isDeepStrictEqual(next.tables, loaded)) throw damaged("the rows of a table are wrong");
    if (loaded.length !== expected.length) throw damaged("a table is missing");
    if ((await reader.line()) !== undefined) throw damaged("it continues after its end");
    return loaded;
  }
}

/** Replaces the store by the backup, in one transaction. */
async function load(client: pg.Client, source: AsyncIterable<Buffer>, replace: boolean): Promise<Restored> {
  const reader = new LineReader(source);
  const { migration, time } = readHeader(await reader.line());
  await client.query("BEGIN");
  await client.query(`SET LOCAL lock_timeout = ${LOCK_MS}; SET LOCAL statement_timeout = 0`);
  await client.query("SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL synchronous_commit = on");
  await client.query("SET LOCAL DateStyle = ISO");
  await client.query("SELECT pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
  const revision = await clearStore(client, replace);
  await migrateStore(client, migration);
  const tables = await loadTables(client, reader);
  await migrateStore(client);
  // Higher than both, so that no gateway takes an answer of the old store for a current one.
  await client.query("UPDATE offchain.revision SET number = greatest(number, $1) + 1", [revision]);
  await client.query("COMMIT");
  return { tables, time };
}

/** Maps errors of the file, of zlib and of PostgreSQL to a sentence for the operator. */
function reported(error: unknown): unknown {
  if (error instanceof IncompleteLines) return damaged(error.message);
  if (error instanceof pg.DatabaseError && error.code === "55P03")
    return new CannotRestore("Another process uses the store. Stop the service, and retry. Nothing was changed.");
  // 22: invalid data, 23: a violated constraint, 42701 and 42703: a repeated or unknown column.
  if (error instanceof pg.DatabaseError && /^(2[23]|4270[13])/.test(error.code ?? "")) return damaged(error.message);
  if (error instanceof Error && "code" in error && /^Z_/.test(String(error.code))) return damaged(error.message);
  return error;
}

/**
 * Loads a backup into a database, in one transaction: creates the tables of the backup's version, loads the rows, verifies
 * them and migrates to this version. On any error nothing is changed.
 *
 * @example
 * const { tables } = await restore({ databaseUrl, input: createReadStream("store.backup.gz") });
 */
export async function restore({ databaseUrl, input, replace = false }: Options): Promise<Restored> {
  let restored: Restored | undefined;
  try {
    // Closing the connection also rolls back an open transaction.
    await withClient(databaseUrl, (client) =>
      pipeline(input, createGunzip(), async (source: AsyncIterable<Buffer>) => {
        restored = await load(client, source, replace);
      }),
    );
  } catch (error) {
    throw reported(error);
  }
  if (!restored) throw damaged("it is empty");
  return restored;
}
