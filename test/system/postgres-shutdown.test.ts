import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { query } from "../../stack/local/postgres/cluster";
import { type Postgres, startPostgres } from "../support/postgres-server";

describe("a shutdown of PostgreSQL while a connection hangs", () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.stop());

  it.each(["immediate", "fast"] as const)("(%s) leaves no process that would prevent the next start", async (mode) => {
    const client = new pg.Client({ connectionString: postgres.url });
    client.on("error", () => {});
    await client.connect();
    const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
    process.kill(Number(rows[0]?.pid), "SIGSTOP");
    // In an immediate shutdown, PostgreSQL itself kills the process after five seconds.
    await postgres.halt(mode);
    await postgres.resume();
    expect(await query(postgres.url, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
  });
});
