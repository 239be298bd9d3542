import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { MAX_IN_FLIGHT, MAX_PROBES } from "../../rpc/node";
import { actor } from "../../stack/chain";
import { hashOf } from "../../stack/sample/people";
import { type Index, indexOf } from "./index-of";
import { type RpcProxy, startRpcProxy } from "./rpc-proxy";
import { type Stack, startStack } from "./stack";

const agent = actor(2);
const CAUGHT_UP_MS = 10_000;

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
    expect(proxy.maxInFlight).toBeLessThanOrEqual(MAX_IN_FLIGHT + MAX_PROBES);
    expect(proxy.maxHeadsInFlight).toBeLessThanOrEqual(1);
  };

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
    proxy.calls.length = 0;
    await sleep(60_000);
    expect(proxy.calls.length).toBeLessThanOrEqual(75);
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
