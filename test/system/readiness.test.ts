import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Readiness } from "../../api/monitor/readiness";
import { LOCAL_CHAIN_ID } from "../../config/networks";
import { startChain } from "../../stack/local/chain";
import { reindex } from "../../stack/reindex";
import { freePorts } from "../../stack/roles/ports";
import { DATABASE_SCHEMA, type Index, indexOf } from "../support/index-of";
import { type RpcProxy, startRpcProxy } from "../support/rpc-proxy";
import { type Stack, startStack } from "../support/stack";
import { readinessClient, SETTLED } from "./readiness-client";

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

  const { get, register, query, ready } = readinessClient(() => ({ stack, index }));
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
    expect((await publish('["before"]')).status).toBe(201);
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
      const refused = await publish('["while read-only"]');
      expect(refused.status).toBe(503);
      expect(refused.headers.get("retry-after")).toBe("5");
      expect(await refused.json()).toEqual({
        error: "The database is read-only, so nothing was written; try again shortly",
        code: "unavailable",
      });
      expect((await get("/agents/1")).status).toBe(200);
    } finally {
      await query(`ALTER DATABASE "${database}" RESET default_transaction_read_only`);
      await query(reconnect);
    }
    await expect.poll(ready, SETTLED).toMatchObject({ ready: true, store: "ok" });
    expect((await publish('["after"]')).status).toBe(201);
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
