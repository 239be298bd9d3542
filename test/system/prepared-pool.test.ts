import { setTimeout } from "node:timers/promises";
import pg, { type Connection, type QueryConfig } from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { MAX_SHAPES, SHAPE } from "../../api/indexed/prepared-client";
import { PreparedPool } from "../../api/indexed/prepared-pool";
import { createTestDatabase, type TestDatabase } from "../support/database";
import { startTcpProxy } from "../support/tcp-proxy";
import { sentMessages } from "./postgres-messages";

describe("a pool of sessions", () => {
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

  const run = (query: QueryConfig, values?: unknown[]) => pool.query(query, values);
  const typesSent = () => sentMessages(Buffer.concat(bytes)).types;

  /** The statements that the server and pg keep for the connection, by name. */
  const prepared = async () => {
    const { rows } = await pool.query<{ name: string }>("SELECT name FROM pg_prepared_statements");
    const client = await pool.connect();
    const { connection } = client as unknown as { connection: Connection & { parsedStatements: object } };
    client.release();
    return { server: new Set(rows.map(({ name }) => name)), client: new Set(Object.keys(connection.parsedStatements)) };
  };

  it("has a named statement parsed once per connection", async () => {
    const query = { name: "numbers", text: "SELECT number FROM generate_series(1, $1::int) AS number" };
    const results = [];
    for (const count of [2, 0, 1]) results.push((await run(query, [count])).rows);
    expect(results).toEqual([[{ number: 1 }, { number: 2 }], [], [{ number: 1 }]]);
    expect(typesSent().replaceAll("p", "")).toBe("PBDESBDESBDES");
  });

  it("closes the least recently used shapes, but no other statement", async () => {
    const common = { name: "common", text: "SELECT 'common' AS common" };
    const shape = (number: number) => ({ name: `${SHAPE}${number}`, text: `SELECT ${number} AS shape` });
    await run(common);
    for (let number = 0; number < 500; number++) {
      expect((await run(shape(number))).rows).toEqual([{ shape: number }]);
      // In use all the time.
      await run(shape(0));
    }
    const newest = Array.from({ length: MAX_SHAPES - 1 }, (_, at) => shape(499 - at).name);
    const kept = await prepared();
    const shapes = [...kept.server].filter((name) => name.startsWith(SHAPE));
    expect(new Set(shapes)).toEqual(new Set([shape(0).name, ...newest]));
    expect(kept.server).toContain("common");
    expect(kept.client).toEqual(kept.server);
    bytes.length = 0;
    await run(common);
    await run(shape(0));
    expect(typesSent()).toBe("BDESBDES");
    // A closed statement is parsed again.
    expect((await run(shape(1))).rows).toEqual([{ shape: 1 }]);
    expect(typesSent()).toBe("BDESBDESCPBDES");
  });

  it("closes shapes in a transaction, too", async () => {
    const client = await pool.connect();
    await client.query("BEGIN");
    for (let number = 1_000; number <= 1_000 + MAX_SHAPES; number++)
      await client.query({ name: `${SHAPE}${number}`, text: `SELECT ${number} AS shape` });
    await client.query("COMMIT");
    client.release();
    const { server } = await prepared();
    expect(server).not.toContain(`${SHAPE}1000`);
    expect(server).toContain(`${SHAPE}1001`);
  });

  it("reports errors of the server, of a value and of a parser, and continues", async () => {
    const divide = { name: "divide", text: "SELECT 1 / $1::int AS result" };
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
    const select = { name: "changed", text: "SELECT * FROM changed" };
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
