import { custom, type Hex, RpcRequestError, type Transport } from "viem";
import { z } from "zod";
import type { BlockHeader } from "./block";
import { type FollowedHead, headOf, type NodeOptions } from "./follow-head";
import { RpcPool } from "./pool";
import { SeenBlocks } from "./seen-blocks";

/** Ponder's own limit starts at 20 requests per second and is not configurable. The pool limits requests in flight instead. */
const REQUESTS_PER_SECOND = 10_000;

const HeadPoll = z.object({
  method: z.literal("eth_getBlockByNumber"),
  params: z.tuple([z.literal("latest"), z.boolean()]),
});

const LogsOfBlock = z.object({
  method: z.literal("eth_getLogs"),
  params: z.tuple([z.object({ blockHash: z.string() })]),
});

/** JSON-RPC's code for an invalid input. Ponder does not retry a call with any code if the message contains "revert". */
const INVALID_INPUT = -32000;

const orphaned = (body: { method: string; params?: unknown }, hash: string) =>
  new RpcRequestError({
    body,
    url: "",
    error: { code: INVALID_INPUT, message: `Block ${hash} was reverted by a reorg` },
  });

const Transactions = z.array(z.object({ hash: z.string() })).catch([]);
const transactionHashes = ({ transactions }: BlockHeader) => Transactions.parse(transactions).map(({ hash }) => hash);

export type TransportOptions = NodeOptions & {
  /** Called once, on the first request, when the transport starts to follow the head. */
  onFollow?: (head: FollowedHead) => void;
};

/**
 * Times for a local chain, which may be slow but has no rate limit, or for a public one. A local chain can get shorter, for
 * example by `evm_revert`, which only polling notices.
 */
export const rpcTimes = (isLocal: boolean) =>
  isLocal ? { quietMs: 500, timeoutMs: 30_000 } : { quietMs: 5_000, timeoutMs: 10_000 };

/** Ponder calls `request` as a method of its rate-limit bucket, so the limit is a property of `this`. */
function liftRateLimit(bucket: unknown): void {
  if (typeof bucket !== "object" || bucket === null || !("rpsLimit" in bucket)) return;
  if (typeof bucket.rpsLimit === "number") bucket.rpsLimit = REQUESTS_PER_SECOND;
}

/**
 * Ponder's transport to the nodes of one chain. It handles retries, failover and the limit on requests in flight. While all
 * nodes are down, requests wait: a failure would start Ponder's backoff of more than a minute.
 *
 * Ponder polls `eth_getBlockByNumber("latest", true)` without waiting for the previous response. The transport serves these
 * polls from memory. It follows the head from the first request on, also during the backfill.
 *
 * A node returns an error for the logs of an orphaned block. Ponder would repeat such a call for a minute and index nothing
 * meanwhile, so the transport returns an error that Ponder does not retry.
 *
 * @example
 * chains: { base: { id: 8453, rpc: rpcTransport({ urls, intervalMs: 1_000, quietMs: 5_000, timeoutMs: 10_000 }) } }
 */
export function rpcTransport({ onFollow = () => {}, ...options }: TransportOptions): Transport {
  const pool = new RpcPool(options.urls, options.timeoutMs, options.onNodeChange);
  const seen = new SeenBlocks();
  let followed: ReturnType<typeof headOf> | undefined;

  function head() {
    if (!followed) {
      followed = headOf(pool, options, true);
      onFollow(followed);
    }
    return followed;
  }

  const blockAt = async (number: Hex) =>
    (await pool.request({ method: "eth_getBlockByNumber", params: [number, false] })).result;

  async function forward(call: { method: string; params?: unknown }): Promise<unknown> {
    try {
      const { result } = await pool.request(call);
      if (call.method.startsWith("eth_getBlockBy")) seen.add(result);
      return result;
    } catch (error) {
      const [filter] = LogsOfBlock.safeParse(call).data?.params ?? [];
      if (!filter || !(error instanceof RpcRequestError)) throw error;
      const isOrphaned = await seen.isOrphaned(filter.blockHash, blockAt, options.intervalMs).catch(() => false);
      throw isOrphaned ? orphaned(call, filter.blockHash) : error;
    }
  }

  const provider = custom({
    async request(call: { method: string; params?: unknown }) {
      const { block } = head();
      const poll = HeadPoll.safeParse(call).data;
      if (!poll) return forward(call);
      const newest = await block();
      seen.add(newest);
      const [, isFull] = poll.params;
      // A copy, because Ponder drops transactions from the block it gets.
      return isFull ? { ...newest } : { ...newest, transactions: transactionHashes(newest) };
    },
  });
  return (parameters) => {
    const transport = provider({ ...parameters, retryCount: 0 });
    const { request } = transport;
    const limited = function (this: unknown, ...args: Parameters<typeof request>) {
      liftRateLimit(this);
      return request(...args);
    };
    return { ...transport, request: limited as typeof request };
  };
}
