import { custom, type Transport } from "viem";
import { type FollowedHead, headOf, type NodeOptions } from "../rpc/follow-head";
import type { Call } from "../rpc/json-rpc";
import { RpcPool } from "../rpc/pool";
import { answerHeadPoll } from "./head-polls";
import { OrphanedLogs } from "./orphaned-logs";
import { withoutRateLimit } from "./rate-limit";

export type TransportOptions = NodeOptions & {
  /** Called once, on the first request, when the transport starts to follow the head. */
  onFollow?: (head: FollowedHead) => void;
};

/**
 * Workaround of Ponder 0.16.10: docs/upstream.md#outages
 *
 * Ponder's transport to the nodes of one chain, in place of its `rpc: [urls]`. Without it, a request that fails waits up to
 * 32 s for its next attempt, so an index is that late after an outage of its node; a node that is down gets requests as often
 * as one that works; and a request in ten goes to a random node, also to one that is behind. Here requests wait while all nodes
 * are down, and are sent as soon as a probe succeeds.
 *
 * Test: test/system/away-node.test.ts "an index whose RPC is away after 429s catches up within 10 s of its return"
 * Test: test/system/silent-node.test.ts "an index whose RPC does not respond catches up within 10 s of its return"
 *
 * @example
 * chains: { base: { id: 8453, rpc: rpcTransport({ urls, intervalMs: 1_000, quietMs: 5_000, timeoutMs: 10_000 }) } }
 */
export function rpcTransport({ onFollow = () => {}, ...options }: TransportOptions): Transport {
  const pool = new RpcPool(options.urls, options.timeoutMs, options.onNodeChange);
  const send = async (call: Call) => (await pool.request(call)).result;
  const orphanedLogs = new OrphanedLogs(
    (number) => send({ method: "eth_getBlockByNumber", params: [number, false] }),
    options.intervalMs,
  );
  let followed: ReturnType<typeof headOf> | undefined;

  /** The head, which is followed from the first request on, also during the backfill. */
  function head() {
    if (!followed) {
      followed = headOf(pool, options, true);
      onFollow(followed);
    }
    return followed;
  }

  async function request(call: Call): Promise<unknown> {
    try {
      const result = (await answerHeadPoll(call, head().block)) ?? (await send(call));
      if (call.method.startsWith("eth_getBlockBy")) orphanedLogs.add(result);
      return result;
    } catch (error) {
      throw await orphanedLogs.errorOf(call, error);
    }
  }

  const create = custom({ request });
  return withoutRateLimit((parameters) => create({ ...parameters, retryCount: 0 }));
}
