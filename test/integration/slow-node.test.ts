import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { followHead } from "../../rpc/follow-head";
import { MAX_IN_FLIGHT, MAX_PROBES } from "../../rpc/node";
import { actor } from "../../stack/chain";
import { hashOf } from "../../stack/sample/people";
import { type Index, indexOf } from "./index-of";
import { type RpcProxy, startRpcProxy } from "./rpc-proxy";
import { type Stack, startStack } from "./stack";

const agent = actor(2);
const CAUGHT_UP_MS = 10_000;

/** The gateway reads the head that the indexer follows, and compares one block at a time with the chain. */
const GATEWAY_IN_FLIGHT = 1;

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

describe("an RPC that is slow, limited, away or failing", () => {
  let stack: Stack;
  let proxy: RpcProxy;
  let index: Index;
  let registered = 0;

  beforeAll(async () => {
    stack = await startStack({ index: false });
    proxy = await startRpcProxy(stack.chain.rpcUrl);
    index = await indexOf({ ...stack.chain, rpcUrl: proxy.url }, stack.contracts, { DATABASE_URL: stack.databaseUrl });
    await index.startIndexer();
  });
  afterAll(async () => {
    await index?.removeIndex();
    await proxy?.close();
    await stack?.stop();
  });
  beforeEach(() => {
    proxy.maxInFlight = 0;
    proxy.maxHeadsInFlight = 0;
  });

  /** Registers agents, each in a block of its own, on the node behind the proxy. */
  async function register(count: number): Promise<void> {
    for (let number = 0; number < count; number++) {
      const name = `agent ${registered++}`;
      await stack.write(agent, "AgentRegistry", "registerAgent", [name, "0x01", hashOf(name)]);
    }
  }

  /** How many agents the API has; unlike /ready this asks nothing of the chain. */
  const agents = async () => {
    const response = await fetch(`${index.apiUrl}/agents?owner=${agent.address}&total=true&limit=1`);
    return ((await response.json()) as { pagination: { total: number } }).pagination.total;
  };

  const caughtUp = (timeout: number) => expect.poll(agents, { timeout, interval: 250 }).toBe(registered);

  const expectBounded = () => {
    expect(proxy.maxInFlight).toBeLessThanOrEqual(MAX_IN_FLIGHT + MAX_PROBES + GATEWAY_IN_FLIGHT);
    expect(proxy.maxHeadsInFlight).toBe(1);
  };

  it("that is well gets more than Ponder's own 20 requests per second, none too many at a time", async () => {
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
    const announcing = await startRpcProxy(stack.chain.rpcUrl, { webSocket: true });
    const head = followHead({ urls: [announcing.url], intervalMs: 100, quietMs: 60_000, timeoutMs: 10_000 });
    await head.first();
    // Polls end once anvil has confirmed the subscription.
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
    proxy.latencyMs = 3_000;
    await register(1);
    await caughtUp(30_000);
    await register(8);
    proxy.latencyMs = 0;
    await caughtUp(CAUGHT_UP_MS);
    expectBounded();
  });

  it("with 429s and then 60 s away is caught up within 10 s of its return", async () => {
    proxy.decide(() => "limit");
    await register(3);
    await sleep(10_000);
    proxy.decide(() => "cut");
    await register(5);
    // A chain with a block every 2 s has mined as many when the RPC returns.
    await stack.client.mine({ blocks: 25 });
    proxy.calls.length = 0;
    await sleep(60_000);
    // About one probe per second of each process.
    expect(proxy.calls.length).toBeLessThanOrEqual(150);
    proxy.decide(() => "pass");
    await caughtUp(CAUGHT_UP_MS);
    expectBounded();
  });

  it("that is silent for 60 s is caught up within 10 s of its return", async () => {
    proxy.decide(() => "wait");
    await register(5);
    await sleep(60_000);
    proxy.decide(() => "pass");
    await caughtUp(CAUGHT_UP_MS);
    expectBounded();
  }, 180_000);

  it("with 30 % errors of every kind is caught up within 10 s", async () => {
    let calls = 0;
    const kinds = ["limit", "fail", "refuse", "cut"] as const;
    // Multiples of 7 modulo 10: three of every ten calls, never at a fixed distance.
    proxy.decide(() => ((++calls * 7) % 10 < 3 ? (kinds[calls % kinds.length] ?? "fail") : "pass"));
    await register(8);
    await caughtUp(CAUGHT_UP_MS);
    proxy.decide(() => "pass");
    expectBounded();
  });
});
