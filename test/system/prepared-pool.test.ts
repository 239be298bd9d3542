import { setTimeout } from "node:timers/promises";
import pg, { type QueryConfig } from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { MAX_CHANGING_STATEMENTS } from "../../api/database/named-statement";
import { PreparedPool } from "../../api/database/prepared-pool";
import { createTestDatabase, type TestDatabase } from "../support/database";
import { startTcpProxy } from "../support/tcp-proxy";
import { sentMessages } from "./postgres-messages";

const ARRAYS = { rowMode: "array" } as const;

describe("a pool of prepared statements", () => {
  let database: TestDatabase;
  let proxy: Awaited<ReturnType<typeof startTcpProxy>>;
  let pool: PreparedPool;
  let plain: pg.Pool;
  const bytes: Buffer[] = [];

  beforeAll(async () => {
    database = await createTestDatabase("prepared");
    const { port } = new URL(database.url);
    proxy = await startTcpProxy(Number(port), (chunk) => bytes.push(chunk));
    const connectionString = database.url.replace(`:${port}/`, `:${proxy.port}/`);
    pool = new PreparedPool({ connectionString, max: 1, query_timeout: 1_000 });
    plain = new pg.Pool({ connectionString: database.url, max: 1 });
  });
  beforeEach(() => {
    bytes.length = 0;
  });
  afterAll(async () => {
    await pool?.end();
    await plain?.end();
    await proxy?.close();
    await database?.drop();
  });

  const run = (query: QueryConfig & { rowMode?: "array" }, values?: unknown[]) => pool.query(query, values);
  const typesSent = () => sentMessages(Buffer.concat(bytes)).types;

  const values = `SELECT $1::int AS number, $2::text AS text, $3::text[] AS texts, $4::jsonb AS json, $5::bytea AS bytes,
    $6::bool AS flag, $7::numeric AS large, $8::timestamptz AS time, NULL AS nothing, 1 AS twice, 2 AS twice`;
  const sent = [7, "ä\u{1f600}", ["a,b", '"c"'], { d: [1] }, Buffer.from([0, 255]), true, 10n ** 30n, new Date(0)];

  it.each([
    ["objects", {}],
    ["arrays", ARRAYS],
  ])("returns the rows of pg as %s", async (_, mode) => {
    const expected = await plain.query({ text: values, ...mode }, sent);
    for (let time = 0; time < 2; time++) {
      const { rows, rowCount } = await run({ text: values, ...mode }, sent);
      expect({ rows, rowCount }).toEqual({ rows: expected.rows, rowCount: 1 });
    }
  });

  it("has a statement parsed and its columns described once per connection", async () => {
    const text = "SELECT number, number + 1 AS next FROM generate_series(1, $1::int) AS number";
    const results = [];
    for (const count of [2, 0, 3]) results.push(await run({ text, ...ARRAYS }, [count]));
    expect(results.map(({ rows }) => rows)).toEqual([
      [
        [1, 2],
        [2, 3],
      ],
      [],
      [
        [1, 2],
        [2, 3],
        [3, 4],
      ],
    ]);
    expect(typesSent().replace("p", "")).toMatch(/^PBDES(BES){2}$/);
  });

  it("does not describe a statement without columns again", async () => {
    await run({ text: "CREATE TABLE written (number int)" });
    bytes.length = 0;
    for (let time = 0; time < 2; time++)
      expect(await run({ text: "INSERT INTO written SELECT generate_series(1, 3)" })).toMatchObject({
        rows: [],
        rowCount: 3,
      });
    expect(typesSent()).toBe("PBDESBES");
  });

  it("closes the least recently used statements, but none that has a name", async () => {
    const prepared = async () => {
      const { rows } = await pool.query("SELECT statement FROM pg_prepared_statements");
      return rows.map(({ statement }: { statement: string }) => statement);
    };
    const textOf = (number: number) => `SELECT ${number} AS shape`;
    await run({ name: "fixed", text: "SELECT 'fixed' AS fixed" });
    for (let number = 0; number < 500; number++) {
      expect((await run({ text: textOf(number) })).rows).toEqual([{ shape: number }]);
      // In use all the time.
      await run({ text: textOf(0) });
    }
    const kept = await prepared();
    const shapes = kept.filter((text) => text.endsWith("AS shape"));
    expect(shapes).toHaveLength(MAX_CHANGING_STATEMENTS);
    expect(new Set(shapes)).toEqual(
      new Set([0, ...Array.from({ length: MAX_CHANGING_STATEMENTS - 1 }, (_, at) => 499 - at)].map(textOf)),
    );
    expect(kept).toContain("SELECT 'fixed' AS fixed");
    bytes.length = 0;
    await run({ name: "fixed", text: "SELECT 'fixed' AS fixed" });
    await run({ text: textOf(0) });
    expect(typesSent()).toBe("BESBES");
    // A closed statement is parsed again.
    expect((await run({ text: textOf(1) })).rows).toEqual([{ shape: 1 }]);
    expect(typesSent()).toBe("BESBESCPBDES");
  });

  it("parses the values of one statement with the types of each query", async () => {
    const text = "SELECT 1::int8 AS number";
    const asBigint = { getTypeParser: () => (value: string) => BigInt(value) };
    const rows = async (types?: typeof asBigint) => (await run({ text, ...(types && { types: types as never }) })).rows;
    expect([await rows(), await rows(asBigint), await rows()]).toEqual([
      [{ number: "1" }],
      [{ number: 1n }],
      [{ number: "1" }],
    ]);
  });

  it("reports errors of the server, of a value and of a parser, and continues", async () => {
    const divide = { text: "SELECT 1 / $1::int AS result" };
    expect((await run(divide, [1])).rows).toEqual([{ result: 1 }]);
    await expect(run(divide, [0])).rejects.toMatchObject({ code: "22012" });
    await expect(run({ text: "SELECT nothing" })).rejects.toMatchObject({ code: "42703" });
    const invalid = {
      toPostgres: () => {
        throw new Error("no such value");
      },
    };
    await expect(run(divide, [invalid])).rejects.toThrow("no such value");
    const fail = () => {
      throw new Error("no such text");
    };
    await expect(run({ text: "SELECT 2 AS two", types: { getTypeParser: () => fail } as never })).rejects.toThrow(
      "no such text",
    );
    expect((await run(divide, [1])).rows).toEqual([{ result: 1 }]);
    expect(pool.totalCount).toBe(1);
  });

  it("reads a table again whose columns have changed", async () => {
    await plain.query("CREATE TABLE changed (value int); INSERT INTO changed VALUES (1)");
    const select = { text: "SELECT * FROM changed" };
    expect((await run(select)).rows).toEqual([{ value: 1 }]);
    await plain.query("ALTER TABLE changed ALTER value TYPE text, ADD other int");
    // PostgreSQL does not run a statement whose columns have changed, and the connection is replaced.
    await expect(run(select)).rejects.toMatchObject({ code: "0A000" });
    expect((await run(select)).rows).toEqual([{ value: "1", other: null }]);
  });

  it("ends a query that takes too long, and one whose connection ends", async () => {
    await expect(run({ text: "SELECT pg_sleep(5)" })).rejects.toThrow("Query read timeout");
    const sleeping = run({ text: "SELECT pg_sleep($1::int)" }, [5]);
    const failing = expect(sleeping).rejects.toMatchObject({ code: "57P01" });
    await setTimeout(200);
    await plain.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep($1%'");
    await failing;
    expect((await run({ text: "SELECT 1 AS one" })).rows).toEqual([{ one: 1 }]);
  });
});
