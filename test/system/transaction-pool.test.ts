import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { openPool } from "../../api/indexed/open-pool";
import { openStore } from "../../api/offchain/open";
import { keepsParameters } from "../../stack/roles/pool-mode";
import { createTestDatabase, type TestDatabase } from "../support/database";
import { startTcpProxy } from "../support/tcp-proxy";
import { OWN_ADVISORY_LOCKS, sentMessages } from "./postgres-messages";

describe("a pool for a pooler in transaction mode", () => {
  let database: TestDatabase;
  let proxy: Awaited<ReturnType<typeof startTcpProxy>>;
  let url: string;
  const pools: pg.Pool[] = [];
  const bytes: Buffer[] = [];

  beforeAll(async () => {
    database = await createTestDatabase("pooling");
    const { port } = new URL(database.url);
    proxy = await startTcpProxy(Number(port), (chunk) => bytes.push(chunk));
    url = database.url.replace(`:${port}/`, `:${proxy.port}/`);
  });
  afterAll(async () => {
    await Promise.all(pools.map((pool) => pool.end()));
    await proxy?.close();
    await database?.drop();
  });

  const open = (settings: Record<string, string | number> = {}, isReadOnly = false) => {
    const pool = openPool({ databaseUrl: url, poolMode: "transaction", settings, isReadOnly, max: 1 });
    pools.push(pool);
    return pool;
  };
  const setting = async (pool: Pick<pg.Pool, "query">, name: string) =>
    (await pool.query("SELECT current_setting($1) AS value", [name])).rows[0]?.value;

  it("sends no parameters of the connection and no named statements, also for prepared queries of Drizzle", async () => {
    bytes.length = 0;
    const db = drizzle(open({ lock_timeout: 1_234 }));
    const prepared = db.select({ value: sql`1` }).from(sql`pg_class`).limit(1).prepare("a name");
    for (let run = 0; run < 3; run++) await prepared.execute();
    await db.transaction((transaction) => transaction.execute(sql`SELECT ${"x"}::text`));
    const { parameters, statementNames } = sentMessages(Buffer.concat(bytes));
    expect(Object.keys(parameters).sort()).toEqual(["client_encoding", "database", "user"]);
    expect(statementNames.length).toBeGreaterThanOrEqual(4);
    expect(new Set(statementNames)).toEqual(new Set([""]));
  });

  it("has its settings in every query and transaction, and leaves none in the connection", async () => {
    const pool = open({ lock_timeout: 1_234, search_path: "pg_catalog" });
    expect(await setting(pool, "lock_timeout")).toBe("1234ms");
    expect(await setting(pool, "search_path")).toBe("pg_catalog");
    const db = drizzle(pool);
    const shown = await db.transaction((transaction) => transaction.execute(sql`SHOW lock_timeout`));
    expect(shown.rows).toEqual([{ lock_timeout: "1234ms" }]);
    const client = await pool.connect();
    expect((await client.query("SHOW lock_timeout")).rows).toEqual([{ lock_timeout: "0" }]);
    client.release();
  });

  it("can be read-only", async () => {
    const pool = open({}, true);
    expect(await setting(pool, "transaction_read_only")).toBe("on");
    await expect(pool.query("CREATE TABLE nothing ()")).rejects.toMatchObject({ code: "25006" });
    await expect(drizzle(pool).transaction((one) => one.execute(sql`CREATE TABLE nothing ()`))).rejects.toThrow();
  });

  it("rolls a failed query back, and reports its error", async () => {
    const pool = open();
    await expect(pool.query("SELECT 1 / 0")).rejects.toMatchObject({ code: "22012" });
    expect((await pool.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
    expect(pool.totalCount).toBe(1);
  });

  it("replaces a connection that breaks during a query", async () => {
    const pool = open();
    pool.on("error", () => {});
    await expect(pool.query("SELECT pg_terminate_backend(pg_backend_pid())")).rejects.toThrow();
    expect((await pool.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
  });

  it("migrates the store once, from several processes at a time", async () => {
    const options = { databaseUrl: url, poolMode: "transaction" as const, maxConnections: 2, onIdleError: () => {} };
    const stores = await Promise.all(Array.from({ length: 4 }, () => openStore(options)));
    const [store] = stores;
    expect(await store?.db.execute(sql`SHOW synchronous_commit`)).toMatchObject({
      rows: [{ synchronous_commit: "on" }],
    });
    await Promise.all(stores.map(({ close }) => close()));
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query("SELECT count(*) = count(DISTINCT hash) AS once FROM offchain.migration");
    const { rows: locks } = await client.query(OWN_ADVISORY_LOCKS);
    await client.end();
    expect(rows).toEqual([{ once: true }]);
    expect(locks).toEqual([]);
  });

  it("is not needed for a server that keeps the parameters of connections", async () => {
    expect(await keepsParameters(inject("databaseServer"))).toBe(true);
  });
});
