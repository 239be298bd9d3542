import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Readiness } from "../../api/monitor/readiness";
import { LOCAL_CHAIN_ID } from "../../config/networks";
import { actor, startChain } from "../../stack/chain";
import { freePorts } from "../../stack/ports";
import { CannotReindex, reindex } from "../../stack/reindex";
import { hashOf } from "../../stack/sample/people";
import { isUnrecoverableReorg } from "../../stack/unrecoverable-reorg";
import { DATABASE_SCHEMA, type Index, indexOf } from "./index-of";
import { type RpcProxy, startRpcProxy } from "./rpc-proxy";
import { type Stack, startStack } from "./stack";

const agent = actor(2);
const SETTLED = { timeout: 60_000, interval: 250 };

describe("readiness", () => {
  let stack: Stack;
  let proxy: RpcProxy;
  let index: Index;
  let databaseUrl: string;
  beforeAll(async () => {
    stack = await startStack({ index: false });
    databaseUrl = stack.databaseUrl ?? "";
    proxy = await startRpcProxy(stack.chain.rpcUrl);
    const env = { DATABASE_URL: databaseUrl, READY_MAX_LAG_SECONDS: "30" };
    index = await indexOf({ ...stack.chain, rpcUrl: proxy.url }, stack.contracts, env);
  });
  afterAll(async () => {
    await index?.removeIndex();
    await proxy?.close();
    await stack?.stop();
  });

  const register = (name: string) => stack.write(agent, "AgentRegistry", "registerAgent", [name, "0x01", hashOf(name)]);
  const query = async <Row extends pg.QueryResultRow>(statement: string): Promise<Row[]> => {
    // Also while the database is read-only for other connections.
    const options = "-c default_transaction_read_only=off";
    const client = new pg.Client({ connectionString: databaseUrl, options });
    await client.connect();
    try {
      return (await client.query<Row>(statement)).rows;
    } finally {
      await client.end();
    }
  };
  const get = (path: string) => fetch(`${index.apiUrl}${path}`);
  const ready = async () => {
    const response = await get("/ready");
    const state = (await response.json()) as Readiness;
    expect(response.status).toBe(state.ready ? 200 : 503);
    return state;
  };
  const publish = (text: string) =>
    fetch(`${index.apiUrl}/catalogs`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ catalog_json: text }),
    });

  it("reports syncing and the progress during the backfill", async () => {
    await register("in history");
    await stack.client.mine({ blocks: 40 });
    // Past logs can't be read, so the backfill does not end.
    proxy.decide(({ method }) => (method === "eth_getLogs" ? "refuse" : "pass"));
    const starting = index.startIndexer();
    await expect
      .poll(() => ready().catch(() => undefined), SETTLED)
      .toMatchObject({ ready: false, reason: "The index has not yet caught up with the chain's history." });
    const state = await ready();
    expect(state.progress).toBeGreaterThanOrEqual(0);
    expect(state.progress).toBeLessThan(1);
    expect(state).toHaveProperty("eta_seconds");
    await expect.poll(async () => (await get("/agents/1")).headers.get("x-index-status"), SETTLED).toBe("syncing");
    proxy.decide(() => "pass");
    await starting;
    expect(await ready()).toMatchObject({ ready: true, progress: 1, eta_seconds: 0, store: "ok", reasons: [] });
  });

  it("agrees with the response headers", async () => {
    const response = await get("/agents/1");
    expect(response.status).toBe(200);
    expect(response.headers.get("x-index-status")).toBeNull();
    expect(response.headers.get("x-index-block")).toBe((await ready()).block_number);
  });

  it("does not flip while 30 % of the RPC requests fail", async () => {
    let seed = 7;
    const random = () => {
      seed = (seed * 16_807) % 2_147_483_647;
      return seed / 2_147_483_647;
    };
    let failed = 0;
    proxy.calls.length = 0;
    proxy.decide(() => {
      if (random() >= 0.3) return "pass";
      failed += 1;
      return random() < 0.5 ? "refuse" : "cut";
    });
    const flips: Readiness[] = [];
    for (let poll = 0; poll < 120; poll++) {
      if (poll % 10 === 0) await stack.client.mine({ blocks: 1 });
      const state = await ready();
      if (!state.ready) flips.push(state);
      await new Promise((resolve) => setTimeout(resolve, 120));
    }
    expect(failed).toBeGreaterThan(proxy.calls.length / 5);
    proxy.decide(() => "pass");
    expect(flips).toEqual([]);
  });

  it("reports a read-only store, responds to writes with 503, and recovers", async () => {
    expect((await publish('"before"')).status).toBe(201);
    const reconnect =
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
    const database = new URL(databaseUrl).pathname.slice(1);
    await query(`ALTER DATABASE "${database}" SET default_transaction_read_only = on`);
    try {
      await query(reconnect);
      await expect.poll(ready, SETTLED).toMatchObject({
        ready: false,
        store: "read-only",
        reason: "The store is read-only; writes return 503.",
      });
      const refused = await publish('"while read-only"');
      expect(refused.status).toBe(503);
      expect(refused.headers.get("retry-after")).toBe("5");
      expect(await refused.json()).toEqual({
        error: "The database is read-only, so nothing was written; try again shortly",
      });
      expect((await get("/agents/1")).status).toBe(200);
    } finally {
      await query(`ALTER DATABASE "${database}" RESET default_transaction_read_only`);
      await query(reconnect);
    }
    await expect.poll(ready, SETTLED).toMatchObject({ ready: true, store: "ok" });
    expect((await publish('"after"')).status).toBe(201);
  });

  const reorgReason = /^The chain replaced block \d+, which was finalized; stop the indexer and run npm run reindex\.$/;

  it("is false after a reorg beyond finality, which is logged with the repair command", async () => {
    const snapshot = await stack.client.snapshot();
    await register("lost");
    const lostBlock = await stack.client.getBlockNumber();
    await stack.client.mine({ blocks: 100 });
    await index.indexed();
    await expect
      .poll(async () => {
        const [row] = await query<{ block: string }>(
          `SELECT substr(finalized_checkpoint, 27, 16)::bigint AS block FROM ${DATABASE_SCHEMA}._ponder_checkpoint`,
        );
        return BigInt(row?.block ?? 0) >= lostBlock;
      }, SETTLED)
      .toBe(true);
    expect((await get("/agents/2")).status).toBe(200);
    await stack.client.revert({ id: snapshot });
    await stack.client.mine({ blocks: 5 });
    await register("kept");
    await stack.client.mine({ blocks: 160 });
    await expect.poll(ready, SETTLED).toMatchObject({ ready: false, reason: expect.stringMatching(reorgReason) });
    await expect.poll(() => index.log().split("\n").some(isUnrecoverableReorg), SETTLED).toBe(true);
    const logged = index
      .log()
      .split("\n")
      .filter((line) => line.includes("reorg-beyond-finality"));
    expect(logged).toHaveLength(1);
    expect(logged[0]).toContain("npm run reindex");
  });

  it("can't be repaired while an indexer runs", async () => {
    const options = { databaseUrl, schema: DATABASE_SCHEMA, chainId: LOCAL_CHAIN_ID, chain: stack.client };
    await expect(reindex(options)).rejects.toThrow(CannotReindex);
    await expect(reindex(options)).rejects.toThrow(
      /An indexer holds the schema intentry_test_[0-9a-f]{12}\. Stop it first/,
    );
  });

  it("is still false after a restart, although the indexer itself no longer detects it", async () => {
    await index.stopIndexer();
    const starting = index.startIndexer().catch(() => undefined);
    await expect
      .poll(() => ready().catch(() => undefined), SETTLED)
      .toMatchObject({ ready: false, reason: expect.stringMatching(reorgReason) });
    await index.stopIndexer();
    await starting;
  });

  it("is true again after a rebuild from the cached blocks that are still on the chain", async () => {
    const cached = async () =>
      (
        await query<{ number: string; hash: string }>("SELECT number, hash FROM ponder_sync.blocks ORDER BY number")
      ).map(({ number, hash }) => ({ number: BigInt(number), hash }));
    const before = await cached();
    const chainHash = async (blockNumber: bigint) => (await stack.client.getBlock({ blockNumber })).hash;
    const isOnChain = await Promise.all(before.map(async ({ number, hash }) => (await chainHash(number)) === hash));
    expect(isOnChain).toContain(true);
    expect(isOnChain).toContain(false);
    const done = await reindex({ databaseUrl, schema: DATABASE_SCHEMA, chainId: LOCAL_CHAIN_ID, chain: stack.client });
    const kept = before.filter((_, place) => isOnChain[place]);
    expect(done).toEqual({
      keptBlock: kept.at(-1)?.number,
      deletedBlocks: before.length - kept.length,
      droppedSchemas: [expect.stringMatching(/^intentry_test_[0-9a-f]{12}$/)],
    });
    expect(await cached()).toEqual(kept);
    const intervals = await query<{ upper: string }>(
      "SELECT DISTINCT upper(blocks) AS upper FROM ponder_sync.intervals",
    );
    expect(intervals).toEqual([{ upper: String((kept.at(-1)?.number ?? 0n) + 1n) }]);

    await index.startIndexer();
    expect(await ready()).toMatchObject({ ready: true });
    expect((await index.rows("agent")).map(({ metadataUri }) => metadataUri)).toEqual(["in history", "kept"]);
  });

  it("is false on a chain with another genesis block", async () => {
    const [port = 0] = await freePorts(1);
    const other = await startChain({ port, startTime: 1_700_000_000 });
    try {
      proxy.retarget(other.rpcUrl);
      await expect
        .poll(ready, SETTLED)
        .toMatchObject({ ready: false, reason: expect.stringMatching(/^The chain's genesis block is 0x/) });
      await expect(
        reindex({ databaseUrl, schema: DATABASE_SCHEMA, chainId: LOCAL_CHAIN_ID, chain: other.client }),
      ).rejects.toThrow(/genesis block .* Check RPC_URL/);
    } finally {
      proxy.retarget(stack.chain.rpcUrl);
      await other.child.stop();
    }
  });
});
