import { keccak256, stringToBytes } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { actor } from "../../../stack/local/chain";
import { query } from "../../../stack/local/postgres/cluster";
import { hashOf } from "../../../stack/local/sample/people";
import { type Postgres, startPostgres } from "../../support/postgres-server";
import { fillDisk, freeDisk } from "../../support/simulation/database-faults";
import { type Stack, startStack } from "../../support/stack";

const agent = actor(1);

describe("a PostgreSQL server that stops and restarts", () => {
  let postgres: Postgres;
  let stack: Stack;

  beforeAll(async () => {
    postgres = await startPostgres();
    stack = await startStack({ databaseServer: postgres.url });
  }, 120_000);
  afterAll(async () => {
    await stack?.stop();
    await postgres?.stop();
  });

  const publish = async (text: string) => {
    const response = await fetch(`${stack.apiUrl}/catalogs`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ catalog_json: text }),
    });
    return { status: response.status, retryAfter: response.headers.get("retry-after"), body: await response.json() };
  };
  const statusOf = async (path: string) => (await fetch(`${stack.apiUrl}${path}`)).status;
  const register = (name: string) => stack.write(agent, "AgentRegistry", "registerAgent", [name, "0x01", hashOf(name)]);
  const document = (text: string) => `/catalogs/${keccak256(stringToBytes(text))}`;

  it("reads and writes return 503 while it is stopped, and work again afterwards without data loss", {
    timeout: 90_000,
  }, async () => {
    await register("before");
    await stack.indexed();
    expect((await publish('["before"]')).status).toBe(201);
    const burst: Promise<{ status: number }>[] = [];
    for (let place = 0; place < 20; place++) burst.push(publish(`["in flight ${place}"]`));
    await postgres.whileStopped(async () => {
      const responses = await Promise.all(burst);
      for (const [place, { status }] of responses.entries()) expect([201, 503], `in flight ${place}`).toContain(status);
      expect(await publish('["while away"]')).toEqual({
        status: 503,
        retryAfter: "5",
        body: { error: "The database does not answer; try again shortly", code: "unavailable" },
      });
      for (const path of ["/agents/1", document('["before"]'), "/analytics/commerce", "/intents"])
        expect(await statusOf(path), path).toBe(503);
      expect(await statusOf("/health")).toBe(200);
    });
    for (const [place, { status }] of (await Promise.all(burst)).entries())
      if (status === 201) expect(await statusOf(document(`["in flight ${place}"]`)), `in flight ${place}`).toBe(200);
    expect(await statusOf(document('["before"]'))).toBe(200);
    expect(await statusOf(document('["while away"]'))).toBe(404);
    expect((await publish('["after"]')).status).toBe(201);
    await register("after");
    await stack.indexed();
    expect(await statusOf("/agents/2")).toBe(200);
  });

  it("restarts the indexer after the disk was full, and continues without data loss", {
    timeout: 120_000,
  }, async () => {
    await fillDisk(stack.databaseUrl);
    await register("on a full disk");
    await expect.poll(() => stack.log(), { timeout: 60_000 }).toContain("ponder ended with code 1");
    await freeDisk(stack.databaseUrl);
    await stack.indexed();
    expect(await statusOf("/agents/3")).toBe(200);
    expect(stack.log()).toContain("Restarting in");
  });

  it("loses no event when the server crashes and loses the indexer's last commits", { timeout: 120_000 }, async () => {
    // Ponder commits asynchronously: until this process of the server writes to disk, a crash loses its commits.
    await query(postgres.url, "ALTER SYSTEM SET wal_writer_delay = '10s'");
    await query(postgres.url, "SELECT pg_reload_conf()");
    await stack.indexed();
    await register("before the crash");
    await stack.indexed();
    await postgres.halt("immediate");
    await postgres.resume();
    await register("after the crash");
    await stack.indexed();
    for (const id of [4, 5]) expect(await statusOf(`/agents/${id}`), `agent ${id}`).toBe(200);
  });
});
