import { expect, vi } from "vitest";
import { MAX_IN_FLIGHT, MAX_PROBES } from "../../rpc/node";
import { actor } from "../../stack/local/chain";
import { hashOf } from "../../stack/local/sample/people";
import { indexOf } from "../support/index-of";
import { startRpcProxy } from "../support/rpc-proxy";
import { startStack } from "../support/stack";

/** The time limit for an index to catch up once its node works again. */
export const CAUGHT_UP_MS = 10_000;

/** The indexer follows the head, and the gateway compares one block at a time with the chain. */
const GATEWAY_IN_FLIGHT = 1;

const agent = actor(2);

/** A chain, and its index behind an RPC proxy. */
export async function startProxiedIndex() {
  const stack = await startStack({ index: false });
  const proxy = await startRpcProxy(stack.chain.rpcUrl);
  const index = await indexOf({ ...stack.chain, rpcUrl: proxy.url }, stack.contracts, {
    DATABASE_URL: stack.databaseUrl,
  });
  await index.startIndexer();
  let registered = 0;

  /** The number of agents in the API. Unlike /ready, this request doesn't use the chain. */
  const agents = async () => {
    const response = await fetch(`${index.apiUrl}/agents?owner=${agent.address}&total=true&limit=1`);
    return ((await response.json()) as { pagination: { total: number } }).pagination.total;
  };

  /** Registers agents, one per block, on the node behind the proxy. */
  const register = async (count: number): Promise<void> => {
    for (let number = 0; number < count; number++) {
      const name = `agent ${registered++}`;
      await stack.write(agent, "AgentRegistry", "registerAgent", [name, "0x01", hashOf(name)]);
    }
  };
  const caughtUp = (timeout: number) => expect.poll(agents, { timeout, interval: 250 }).toBe(registered);

  // Requests during the start don't count. After it, the index follows the head with one request at a time.
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
    /** Fails if the node had more concurrent requests than allowed. */
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
