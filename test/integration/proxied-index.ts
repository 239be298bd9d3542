import { type ExpectStatic, expect as fileExpect, vi } from "vitest";
import { MAX_IN_FLIGHT, MAX_PROBES } from "../../rpc/node";
import { actor } from "../../stack/chain";
import { hashOf } from "../../stack/sample/people";
import { indexOf } from "./index-of";
import { startRpcProxy } from "./rpc-proxy";
import { startStack } from "./stack";

/** The time that an index has to catch up once its node works again. */
export const CAUGHT_UP_MS = 10_000;

/** The gateway reads the head that the indexer follows, and compares one block at a time with the chain. */
const GATEWAY_IN_FLIGHT = 1;

const agent = actor(2);

/** A chain, and an index of it that reaches the chain only through a proxy. Concurrent tests give their own `expect`. */
export async function startProxiedIndex(expect: ExpectStatic = fileExpect) {
  const stack = await startStack({ index: false });
  const proxy = await startRpcProxy(stack.chain.rpcUrl);
  const index = await indexOf({ ...stack.chain, rpcUrl: proxy.url }, stack.contracts, {
    DATABASE_URL: stack.databaseUrl,
  });
  await index.startIndexer();
  let registered = 0;

  /** How many agents the API has; unlike /ready this asks nothing of the chain. */
  const agents = async () => {
    const response = await fetch(`${index.apiUrl}/agents?owner=${agent.address}&total=true&limit=1`);
    return ((await response.json()) as { pagination: { total: number } }).pagination.total;
  };

  /** Registers agents, each in a block of its own, on the node behind the proxy. */
  const register = async (count: number): Promise<void> => {
    for (let number = 0; number < count; number++) {
      const name = `agent ${registered++}`;
      await stack.write(agent, "AgentRegistry", "registerAgent", [name, "0x01", hashOf(name)]);
    }
  };
  const caughtUp = (timeout: number) => expect.poll(agents, { timeout, interval: 250 }).toBe(registered);

  // Requests of the start are not counted: an index that has caught up follows the head with one request at a time.
  await register(1);
  // Not `expect.poll`: a hook may call this.
  await vi.waitUntil(async () => (await agents()) === registered, { timeout: 60_000, interval: 250 });
  proxy.maxInFlight = 0;
  proxy.maxHeadsInFlight = 0;

  return {
    stack,
    proxy,
    register,
    caughtUp,
    /** Fails when the node had more requests at a time than it may have. */
    expectBounded() {
      expect(proxy.maxInFlight).toBeLessThanOrEqual(MAX_IN_FLIGHT + MAX_PROBES + GATEWAY_IN_FLIGHT);
      expect(proxy.maxHeadsInFlight).toBe(1);
    },
    async stop(): Promise<void> {
      await index.removeIndex();
      await proxy.close();
      await stack.stop();
    },
  };
}

export type ProxiedIndex = Awaited<ReturnType<typeof startProxiedIndex>>;
