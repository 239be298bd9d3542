import { custom, type Transport } from "viem";
import { z } from "zod";
import { HeadFollower } from "./head";
import { webSocketUrl } from "./new-heads";
import { type OnNodeChange, RpcPool } from "./pool";

/** Ponder's own limit starts at 20 requests per second and has no setting. The pool limits requests by how many are in flight. */
const REQUESTS_PER_SECOND = 10_000;

/** A follower nobody asks for so long is stopped: `ponder dev` drops a transport without a word when it reloads. */
const IDLE_MS = 10_000;

const HeadPoll = z.object({
  method: z.literal("eth_getBlockByNumber"),
  params: z.tuple([z.literal("latest"), z.literal(true)]),
});

export type TransportOptions = {
  /** The nodes' HTTP URLs; requests go to the first that is available. */
  urls: readonly string[];
  /** Their WebSocket URLs, in the same order. A node without one is tried at its HTTP URL. */
  webSocketUrls?: readonly string[];
  intervalMs: number;
  quietMs: number;
  timeoutMs: number;
  onNodeChange?: OnNodeChange;
};

/** The times that suit a chain on this machine, which may be slow but has no rate limit, and a public one. */
export const rpcTimes = (isLocal: boolean) =>
  isLocal ? { quietMs: 2_000, timeoutMs: 30_000 } : { quietMs: 5_000, timeoutMs: 10_000 };

/** Ponder calls `request` as a method of its bucket, which holds the bucket's limit. */
function liftRateLimit(bucket: unknown): void {
  if (typeof bucket !== "object" || bucket === null || !("rpsLimit" in bucket)) return;
  if (typeof bucket.rpsLimit === "number") bucket.rpsLimit = REQUESTS_PER_SECOND;
}

/**
 * Ponder's transport to the nodes of one chain. It owns retries, failover and the number of requests in flight: while all
 * nodes are away, requests wait instead of failing into Ponder's backoff of more than a minute.
 *
 * Ponder polls `eth_getBlockByNumber("latest", true)` without waiting for the last answer. These polls are answered from
 * memory; {@link HeadFollower} keeps the block fresh.
 *
 * @example
 * chains: { base: { id: 8453, rpc: rpcTransport({ urls, intervalMs: 1_000, quietMs: 5_000, timeoutMs: 10_000 }) } }
 */
export function rpcTransport({ urls, webSocketUrls = [], onNodeChange, ...options }: TransportOptions): Transport {
  const pool = new RpcPool(urls, options.timeoutMs, onNodeChange);
  const idleMs = Math.max(IDLE_MS, 3 * options.intervalMs);
  let follower: HeadFollower | undefined;
  let idle: NodeJS.Timeout | undefined;

  function head() {
    follower ??= new HeadFollower({
      pool,
      webSocketUrls: urls.map((url, index) => webSocketUrls[index] ?? webSocketUrl(url)),
      full: true,
      ...options,
    });
    clearTimeout(idle);
    idle = setTimeout(() => {
      follower?.close();
      follower = undefined;
    }, idleMs).unref();
    return follower.first();
  }

  const provider = custom({
    async request(call: { method: string; params?: unknown }) {
      // A copy, because Ponder drops transactions from the block it gets.
      if (HeadPoll.safeParse(call).success) return { ...(await head()).block };
      return (await pool.request(call)).result;
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
