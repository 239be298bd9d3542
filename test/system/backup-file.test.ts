import { spawnSync } from "node:child_process";
import { createReadStream } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { gunzipSync, gzipSync } from "node:zlib";
import type pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { MIGRATION_LOCK, migrateStore, migrationTimes } from "../../api/offchain/migrate";
import { openStore } from "../../api/offchain/open";
import { backUp, backUpTo } from "../../stack/backup/back-up";
import { restore } from "../../stack/backup/restore";
import { withClient } from "../../stack/index-builds";
import { cli, cliFile } from "../support/cli-run";
import { createTestDatabase, type TestDatabase } from "../support/database";
import { backedUpTables, contentOf, run } from "./store-content";

const stops: (() => unknown)[] = [];
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "intentry-backup-"));
});
afterAll(async () => {
  for (const stop of stops.reverse()) await stop();
  await rm(folder, { recursive: true, force: true });
});

async function newDatabase(name: string): Promise<TestDatabase> {
  const database = await createTestDatabase(name);
  stops.push(database.drop);
  return database;
}

const restoreFile = (file: string, { url: databaseUrl }: TestDatabase, replace = false) =>
  restore({ databaseUrl, input: createReadStream(file), replace });

describe("a backup", () => {
  let source: TestDatabase;
  /** Every test restores into this database. */
  let target: TestDatabase;
  let file: string;

  /** Values that COPY must escape, and rows of every kind of column. */
  const filled = [
    `INSERT INTO offchain.document (kind, hash, bytes, size_bytes, merchant_id, service_id)
     VALUES ('catalog', '0x01', '\\x0a5c2e0a00ff', 6, '', NULL), ('catalog', '0x02', '', 0, E'a\\tb\\nc\\\\N', '\\.')`,
    `INSERT INTO offchain.attestation_schema (schema_hash, name, json_schema, builtin)
     VALUES ('0x03', E'\\u00e9\\U0001F600\\r\\n', '{}', false)`,
    `INSERT INTO offchain.bid (chain_id, intent_hash, intent_id, solver, amount_in, amount_out, fee, valid_until, status, created_at)
     SELECT 1, '0x04', 2::numeric ^ 255, '0x05', n, n, 0, 0, 'OPEN', n FROM generate_series(1, 3) AS n`,
    "DELETE FROM offchain.bid WHERE number = 3",
    `INSERT INTO offchain.payment (network, asset, payer, nonce, hash, request, state, holder, lease_until, expires_at)
     VALUES ('eip155:1', 'a', 'p', 'n', 'h', 'r', 'SETTLED', 'x', 'infinity', '2026-01-01T00:00:00.123456Z')`,
    "INSERT INTO offchain.document_quota VALUES ('client', '2026-01-01', 5)",
    "INSERT INTO offchain.chain_head (chain_id, follower, is_indexer, renewed_at, is_away) VALUES (1, 'f', true, '2020-01-01', false)",
    "INSERT INTO offchain.write_count VALUES ('client', 1, 1)",
  ];
  const makeStore = async (database: TestDatabase) =>
    (await openStore({ databaseUrl: database.url, onIdleError: () => {} })).close();

  beforeAll(async () => {
    source = await newDatabase("backup_source");
    await makeStore(source);
    await run(source, ...filled);
    file = join(folder, "source.backup.gz");
    await backUp(source.url, file);
    target = await newDatabase("backup_target");
  });

  afterEach(() => run(target, "DROP SCHEMA IF EXISTS offchain CASCADE"));
  const hasStore = async () => (await run(target, "SELECT to_regnamespace('offchain') IS NOT NULL AS found"))[0]?.found;

  it("has all tables except those that only running processes use", async () => {
    const [header, ...lines] = gunzipSync(await readFile(file))
      .toString()
      .trimEnd()
      .split("\n");
    expect(JSON.parse(header ?? "")).toMatchObject({
      format: "intentry-store",
      version: 1,
      migration: migrationTimes().at(-1),
    });
    const footer = JSON.parse(lines.at(-1) ?? "") as { tables: { name: string; rows: number }[] };
    expect(footer.tables.map(({ name }) => name)).toEqual(backedUpTables);
    expect(footer.tables.find(({ name }) => name === "document")).toMatchObject({ rows: 2 });
  });

  it("restores every value, and continues the numbers of bids", async () => {
    const { tables } = await restoreFile(file, target);
    expect(tables.map(({ name, rows }) => `${name} ${rows}`)).toContain("bid 2");
    expect(await contentOf(target)).toEqual(await contentOf(source));
    const insert = filled[2]?.replace("generate_series(1, 3)", "generate_series(1, 1)") ?? "";
    // Number 3 was used by a deleted bid.
    expect(await run(target, `${insert} RETURNING number::int`)).toEqual([{ number: 4 }]);
    const revisions = await Promise.all(
      [source, target].map((database) => run(database, "SELECT number FROM offchain.revision")),
    );
    expect(BigInt(String(revisions[1]?.[0]?.number))).toBeGreaterThan(BigInt(String(revisions[0]?.[0]?.number)));
  });

  it("is restored into a store that a gateway has created, but not into one with data", async () => {
    await makeStore(target);
    await run(target, "INSERT INTO offchain.chain (chain_id, genesis_hash) VALUES (1, '0x00')");
    await restoreFile(file, target);
    const before = await contentOf(target);
    await expect(restoreFile(file, target)).rejects.toThrow(
      "The store is not empty: it has 7 rows. Restore into another database, or add --replace to delete them.",
    );
    expect(await contentOf(target)).toEqual(before);
  });

  it("replaces a store with --replace, after a confirmation or with --yes", async () => {
    await makeStore(target);
    await run(
      target,
      "INSERT INTO offchain.document (kind, hash, bytes, size_bytes) VALUES ('catalog', '0x99', '', 0)",
    );
    const env = { DATABASE_URL: target.url, INTENTRY_DIR: folder };
    const unconfirmed = await cli(["restore", file, "--replace"], env);
    expect(unconfirmed.stderr).toBe("Nothing was changed. Add --yes to confirm without a terminal.\n");
    expect(unconfirmed.code).toBe(1);
    const confirmed = await cli(["restore", file, "--replace", "--yes"], env);
    expect(confirmed.code, confirmed.stderr).toBe(0);
    expect(await contentOf(target)).toEqual(await contentOf(source));
  });

  it("is migrated to this version if it is from an earlier one", async () => {
    const old = await newDatabase("backup_old");
    const [, , , , , until = 0] = migrationTimes();
    await withClient(old.url, async (client) => {
      await client.query("BEGIN");
      await client.query("SELECT pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
      await migrateStore(client, until);
      await client.query("COMMIT");
    });
    await run(old, ...filled);
    const oldFile = join(folder, "old.backup.gz");
    await backUp(old.url, oldFile);
    await restoreFile(oldFile, target);
    const migrations = await run(target, "SELECT created_at::float8 AS time FROM offchain.migration ORDER BY id");
    expect(migrations.map(({ time }) => time)).toEqual(migrationTimes());
    expect(await run(target, "SELECT count(*)::int FROM offchain.payment WHERE payload IS NULL")).toEqual([
      { count: 1 },
    ]);
    expect(await run(target, "SELECT length(value) AS length FROM offchain.secret")).toEqual([{ length: 64 }]);
  });

  /** Restores other content, and expects that nothing has changed. */
  async function rejection(content: Uint8Array): Promise<string> {
    const damaged = join(folder, "damaged.backup.gz");
    await writeFile(damaged, content);
    const message = await restoreFile(damaged, target).then(
      () => "restored",
      (error: Error) => `${error.name}: ${error.message}`,
    );
    expect(await hasStore()).toBe(false);
    return message;
  }
  const linesOf = async () =>
    gunzipSync(await readFile(file))
      .toString("latin1")
      .split(/(?<=\n)/);
  const compressed = (lines: readonly string[]) => gzipSync(Buffer.from(lines.join(""), "latin1"));

  it("is rejected if it is truncated at any place", async () => {
    const content = await readFile(file);
    for (const part of [0, 0.01, 0.3, 0.6, 0.99])
      expect(await rejection(content.subarray(0, Math.floor(content.length * part))), String(part)).toMatch(
        /^CannotRestore: The file is not a complete backup: /,
      );
    expect(await rejection(content.subarray(0, -1))).toMatch(/^CannotRestore: /);
    const lines = await linesOf();
    for (let kept = 0; kept < lines.length; kept += 4)
      expect(await rejection(compressed(lines.slice(0, kept))), `${kept} lines`).toMatch(/^CannotRestore: /);
  });

  it("is rejected if a byte of it has changed", async () => {
    const content = await readFile(file);
    for (let place = 20; place < content.length; place += Math.ceil(content.length / 12)) {
      const changed = Buffer.from(content);
      changed.writeUInt8((content[place] ?? 0) ^ 0x10, place);
      expect(await rejection(changed), `byte ${place}`).toMatch(/^CannotRestore: /);
    }
  });

  it("is rejected if a line of it was changed, removed, repeated or added", async () => {
    const lines = await linesOf();
    const row = lines.findIndex((line) => line.startsWith("catalog\t0x01"));
    const table = lines.findIndex((line) => line.startsWith('{"table":"document"'));
    expect(row).toBeGreaterThan(table);
    const changes: Record<string, string[]> = {
      "another value": lines.with(row, lines[row]?.replace("0x01", "0x07") ?? ""),
      "a removed row": lines.toSpliced(row, 1),
      "a repeated row": lines.toSpliced(row, 0, lines[row] ?? ""),
      "another sequence": lines.map((line) => line.replace('"number":"4"', '"number":"5"')),
      "another column": lines.with(table, lines[table]?.replace('"kind"', '"kinds"') ?? ""),
      "a repeated column": lines.with(table, lines[table]?.replace('"kind"', '"kind","kind"') ?? ""),
      "another time": lines.with(0, lines[0]?.replace('"time":"2', '"time":"3') ?? ""),
      "a removed table": lines.toSpliced(table, lines.indexOf("\\.\n", table) - table + 1),
      "a line after the end": [...lines, "{}\n"],
    };
    for (const [what, changed] of Object.entries(changes)) {
      expect(changed, what).not.toEqual(lines);
      expect(await rejection(compressed(changed)), what).toMatch(/^CannotRestore: The file is not a complete backup: /);
    }
    expect(await rejection(Buffer.from("not gzip"))).toMatch(/incorrect header check/);
    expect(await rejection(gzipSync("x".repeat(3_000_000)))).toMatch(/A line is too long/);
  });

  it("is rejected if a newer version wrote it", async () => {
    const lines = await linesOf();
    const withHeader = (change: object) => {
      const header = JSON.stringify({ ...JSON.parse(lines[0] ?? ""), ...change });
      return rejection(compressed(lines.with(0, `${header}\n`)));
    };
    expect(await withHeader({ version: 2, migration: "other" })).toMatch(
      /has format 2, and this version reads up to 1/,
    );
    expect(await withHeader({ migration: 4_000_000_000_000 })).toMatch(/is from a newer version of Intentry\. Upgrade/);
    expect(await withHeader({ migration: 1 })).toMatch(/has a migration that this version does not know/);
  });

  it("has the state of one point in time while writes go on", async () => {
    const busy = await newDatabase("backup_busy");
    await makeStore(busy);
    // Each transaction stores a document and a bid.
    const store = (client: pg.ClientBase, hash: string) =>
      client.query(
        `WITH stored AS (
           INSERT INTO offchain.document (kind, hash, bytes, size_bytes) SELECT 'catalog', '${hash}', convert_to(repeat(md5(random()::text), 1000), 'UTF8'), 0
         ) INSERT INTO offchain.bid (chain_id, intent_hash, intent_id, solver, amount_in, amount_out, fee, valid_until, status, created_at)
         VALUES (1, '${hash}', 1, '', 1, 1, 0, 0, 'OPEN', 0)`,
      );
    let written = 0;
    let isDone = false;
    const writing = withClient(busy.url, async (client) => {
      while (!isDone) await store(client, `0x${written++}`);
    });
    await expect.poll(() => written).toBeGreaterThan(200);
    const busyFile = join(folder, "busy.backup.gz");
    const before = written;
    const { tables } = await backUp(busy.url, busyFile);
    const after = written;
    isDone = true;
    await writing;
    const rowsOf = (table: string) => tables.find(({ name }) => name === table)?.rows;
    expect(after).toBeGreaterThan(before);
    expect(rowsOf("document")).toBe(rowsOf("bid"));
    expect(rowsOf("bid")).toBeGreaterThanOrEqual(before - 1);
    await restoreFile(busyFile, target);
    const unpaired =
      "SELECT count(*)::int FROM offchain.document FULL JOIN offchain.bid ON hash = intent_hash WHERE hash IS NULL OR intent_hash IS NULL";
    expect(await run(target, unpaired)).toEqual([{ count: 0 }]);
    expect(await run(target, "SELECT count(*)::int FROM offchain.bid")).toEqual([{ count: rowsOf("bid") }]);

    // An interrupted backup leaves no file behind, and does not wait for the rest of the data.
    const interrupted = new AbortController();
    const output = new PassThrough({ highWaterMark: 1 });
    const writingTo = backUpTo(busy.url, output, interrupted.signal);
    await new Promise((resolve) => output.once("readable", resolve));
    interrupted.abort();
    await expect(writingTo).rejects.toThrow("aborted");
  });

  it("does not overwrite a file, and leaves no incomplete one behind", async () => {
    await expect(backUp(source.url, file)).rejects.toThrow(
      /source\.backup\.gz exists\. Remove it, or choose another name\.$/,
    );
    const empty = await newDatabase("backup_empty");
    await expect(backUp(empty.url, join(folder, "empty.backup.gz"))).rejects.toThrow(
      /^This database has no store yet\./,
    );
    expect((await readdir(folder)).filter((name) => /empty|partial/.test(name))).toEqual([]);
  });

  it("is written to standard output, and read from standard input", async () => {
    const env = { INTENTRY_DIR: folder, DATABASE_URL: source.url };
    const script = 'set -o pipefail; "$NODE" "$CLI" backup - | DATABASE_URL="$TARGET" "$NODE" "$CLI" restore -';
    const { PATH, HOME } = process.env;
    const piped = spawnSync("bash", ["-c", script], {
      encoding: "utf8",
      env: { PATH, HOME, ...env, NODE: process.execPath, CLI: cliFile, TARGET: target.url },
    });
    expect(piped.status, piped.stderr).toBe(0);
    expect(piped.stderr).toMatch(/Backed up to standard output/);
    expect(await contentOf(target)).toEqual(await contentOf(source));
  });
});
