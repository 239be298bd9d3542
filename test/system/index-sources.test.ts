import { getTableName, is } from "drizzle-orm";
import { toSnakeCase } from "drizzle-orm/casing";
import { getTableConfig, PgTable } from "drizzle-orm/pg-core";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { chooseBuild } from "../../api/indexed/builds";
import { type OpenIndex, openIndex } from "../../api/indexed/database";
import { followHead } from "../../api/indexed/head";
import type { Source } from "../../api/indexed/sources";
import { replicaUsable } from "../../api/telemetry/metrics";
import * as tables from "../../ponder.schema";
import { query } from "../../stack/local/postgres/cluster";
import { type Postgres, type Replica, startPostgres } from "../support/postgres-server";
import { startTcpProxy, type TcpProxy } from "../support/tcp-proxy";

/** Two builds of one deployment. */
const OWN = "index_aaaaaa222222";
const OTHER = "index_aaaaaa111111";

/** Ponder's checkpoint of a block: its time, the chain and its number come first. */
const checkpointAt = (block: number) =>
  `${1_800_000_000 + block}${"1".padStart(16, "0")}${String(block).padStart(16, "0")}`.padEnd(75, "0");

const columnsOf = (table: PgTable) =>
  getTableConfig(table)
    .columns.map((column) => `"${column.keyAsName ? toSnakeCase(column.name) : column.name}" ${column.getSQLType()}`)
    .join(", ");

describe("the servers and builds of an index", () => {
  let postgres: Postgres;
  let replica: Replica;
  let databaseUrl: string;
  let replicaUrl: string;
  let index: OpenIndex | undefined;
  let proxy: TcpProxy | undefined;
  let used: Source | undefined;
  let failures: string[] = [];

  beforeAll(async () => {
    postgres = await startPostgres();
    replica = await postgres.startReplica();
    databaseUrl = await postgres.createDatabase("sources");
    replicaUrl = replica.urlOf(databaseUrl);
    for (const schema of [OTHER, OWN]) {
      await query(databaseUrl, `CREATE SCHEMA ${schema}`);
      await query(databaseUrl, `CREATE TABLE ${schema}._ponder_meta (key text, value jsonb)`);
      await query(databaseUrl, `CREATE TABLE ${schema}._ponder_checkpoint (latest_checkpoint text)`);
      await query(databaseUrl, `INSERT INTO ${schema}._ponder_checkpoint VALUES ('')`);
      await query(databaseUrl, `INSERT INTO ${schema}._ponder_meta VALUES ('app', '{"is_ready": 0}')`);
      for (const table of Object.values<unknown>({ ...tables }))
        if (is(table, PgTable))
          await query(databaseUrl, `CREATE TABLE ${schema}."${getTableName(table)}" (${columnsOf(table)})`);
    }
  });
  afterEach(async () => {
    await index?.close();
    await proxy?.close();
    index = undefined;
    proxy = undefined;
    used = undefined;
    failures = [];
    replicaUsable.reset();
  });
  afterAll(() => postgres?.stop());

  /** Sets the newest block of a build, on the primary. */
  const advance = async (schema: string, block: number, isReady = true) => {
    await query(databaseUrl, `UPDATE ${schema}._ponder_checkpoint SET latest_checkpoint = '${checkpointAt(block)}'`);
    await query(databaseUrl, `UPDATE ${schema}._ponder_meta SET value = '{"is_ready": ${isReady ? 1 : 0}}'`);
  };
  const open = (readUrls: string[], build = OTHER) => {
    index = openIndex({
      databaseUrl,
      poolMode: "session",
      readUrls,
      maxLagSeconds: 1,
      build,
      onError: () => {},
      onSource: (source) => {
        used = source;
      },
      onSourceFailure: ({ name }) => failures.push(name),
    });
    return index;
  };
  const isOnReplica = () => used?.isReplica ?? false;
  const checkpointOn = (url: string) => query(url, `SELECT latest_checkpoint FROM ${OTHER}._ponder_checkpoint`);
  const caughtUp = async () => expect.poll(() => checkpointOn(replicaUrl)).toEqual(await checkpointOn(databaseUrl));

  it("start with an earlier build while the own one is behind, from the first query on", async () => {
    await advance(OTHER, 10);
    await advance(OWN, 3);
    const opened = open([], OWN);
    expect((await followHead(opened.db, opened).read()).block).toBe(10n);
    await advance(OWN, 10);
    await expect.poll(() => opened.servedBuild()).toBe(OWN);
  });

  it("do not change to the own build before it has the block that was served last", async () => {
    const pool = new pg.Pool({ connectionString: databaseUrl });
    // The indexer of the other build has restarted, and has rolled back to the last finalized block.
    await advance(OTHER, 8);
    await advance(OWN, 9);
    expect((await chooseBuild(pool, OWN, () => checkpointAt(10))).schema).toBe(OTHER);
    expect((await chooseBuild(pool, OWN, () => checkpointAt(9))).schema).toBe(OWN);
    await pool.end();
  });

  /** Reads blocks until the replica has been checked. Returns the blocks, and whether it can be used. */
  const blocksUntilChecked = async (opened: OpenIndex) => {
    const head = followHead(opened.db, opened);
    const blocks = new Set<bigint | null>();
    const usable = async () => {
      blocks.add((await head.read()).block);
      return (await replicaUsable.get()).values[0]?.value;
    };
    await expect.poll(usable, { interval: 20 }).toBe(0);
    return [...blocks];
  };

  it("do not include a replica that is too far behind, also in the first moments of a process", async () => {
    await advance(OTHER, 20);
    await caughtUp();
    await query(replicaUrl, "SELECT pg_wal_replay_pause()");
    await advance(OTHER, 21);
    const age = "SELECT extract(epoch FROM now() - pg_last_xact_replay_timestamp()) > 1 AS late";
    await expect.poll(() => query(replicaUrl, age)).toEqual([{ late: true }]);
    expect(await blocksUntilChecked(open([replicaUrl]))).toEqual([21n]);
    await query(replicaUrl, "SELECT pg_wal_replay_resume()");
    await expect.poll(isOnReplica).toBe(true);
  });

  it("include a replica although another one refuses the connection", async () => {
    const refusing = new URL(replicaUrl);
    refusing.password = "wrong";
    open([refusing.href, replicaUrl]);
    await expect.poll(isOnReplica).toBe(true);
    expect(failures).toEqual([refusing.host]);
  });

  it("answer a query that a replica does not answer", { timeout: 14_000 }, async () => {
    proxy = await startTcpProxy(Number(new URL(replicaUrl).port));
    const url = new URL(replicaUrl);
    url.port = String(proxy.port);
    const opened = open([url.href]);
    await expect.poll(isOnReplica).toBe(true);
    await advance(OTHER, 25);
    const head = followHead(opened.db, opened);
    await expect.poll(async () => (await head.read()).block).toBe(25n);
    expect(isOnReplica()).toBe(true);
    proxy.hang();
    expect((await followHead(opened.db, opened).read()).block).toBe(25n);
    expect(used?.isReplica).toBe(false);
  });

  it("do not include a replica that has received nothing since its start", async () => {
    await advance(OTHER, 30);
    await caughtUp();
    // It starts without its primary, from a restart point after the last transaction.
    await query(databaseUrl, "CHECKPOINT");
    await query(replicaUrl, "ALTER SYSTEM SET primary_conninfo = ''");
    await query(replicaUrl, "CHECKPOINT");
    await replica.halt();
    await replica.resume();
    expect(await query(replicaUrl, "SELECT pg_last_xact_replay_timestamp() AS time")).toEqual([{ time: null }]);
    await advance(OTHER, 31);
    expect(await blocksUntilChecked(open([replicaUrl]))).toEqual([31n]);
  });
});
