import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { followHead } from "../../rpc/follow-head";
import { startRpcProxy } from "../support/rpc-proxy";
import { CAUGHT_UP_MS, type ProxiedIndex, startProxiedIndex } from "./proxied-index";

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

describe("an RPC that is slow or failing", () => {
  let indexed: ProxiedIndex;

  beforeAll(async () => {
    indexed = await startProxiedIndex();
  });
  afterAll(() => indexed?.stop());
  beforeEach(() => {
    indexed.proxy.maxInFlight = 0;
    indexed.proxy.maxHeadsInFlight = 0;
  });

  it("that works gets more than Ponder's default of 20 requests per second, with limited concurrency", async () => {
    const { stack, proxy, register, caughtUp, expectBounded } = indexed;
    const perSecond = new Map<number, number>();
    proxy.decide(() => {
      const second = Math.floor(Date.now() / 1_000);
      perSecond.set(second, (perSecond.get(second) ?? 0) + 1);
      return "pass";
    });
    await stack.client.mine({ blocks: 49 });
    await register(1);
    await caughtUp(CAUGHT_UP_MS);
    expect(Math.max(...perSecond.values())).toBeGreaterThan(25);
    expectBounded();
    proxy.decide(() => "pass");
  });

  it("that announces blocks over WebSocket is not polled", async () => {
    const { stack, register } = indexed;
    const announcing = await startRpcProxy(stack.chain.rpcUrl, { webSocket: true });
    const head = followHead({ urls: [announcing.url], intervalMs: 100, quietMs: 60_000, timeoutMs: 10_000 });
    await head.first();
    // Polling ends once anvil has confirmed the subscription.
    const polls = () => announcing.calls.length;
    await expect
      .poll(async () => {
        const before = polls();
        await sleep(500);
        return polls() - before;
      })
      .toBe(0);
    const before = polls();
    await register(2);
    await expect.poll(() => head.current()?.number).toBe(await stack.client.getBlockNumber());
    expect(polls()).toBe(before);
    head.close();
    await announcing.close();
  });

  it("with 3 s latency follows the chain, and catches up within 10 s when it is fast again", async () => {
    const { proxy, register, caughtUp, expectBounded } = indexed;
    proxy.latencyMs = 3_000;
    await register(1);
    await caughtUp(30_000);
    await register(8);
    proxy.latencyMs = 0;
    await caughtUp(CAUGHT_UP_MS);
    expectBounded();
  });

  it("with 30 % errors of every kind: the index catches up within 10 s", async () => {
    const { proxy, register, caughtUp, expectBounded } = indexed;
    let calls = 0;
    const kinds = ["limit", "fail", "refuse", "cut"] as const;
    // Multiples of 7 modulo 10: three of every ten calls, at varying distances.
    proxy.decide(() => ((++calls * 7) % 10 < 3 ? (kinds[calls % kinds.length] ?? "fail") : "pass"));
    await register(8);
    await caughtUp(CAUGHT_UP_MS);
    proxy.decide(() => "pass");
    expectBounded();
  });
});
