import { hexToBigInt } from "viem";
import type { BlockHeader } from "./block";
import { HeadFollower, type HeadOptions } from "./head";
import { webSocketUrl } from "./new-heads";
import { type OnNodeChange, RpcPool } from "./pool";

/** The newest header of a chain. `receivedAt` is local time in milliseconds. */
export type ChainHead = { number: bigint; hash: string; timestamp: bigint; receivedAt: number };

export type FollowedHead = {
  /** The newest header, from memory. Undefined until the first one arrives. */
  current: () => ChainHead | undefined;
  /** The newest header. Waits for the first one, and throws if the first attempt fails. */
  first: () => Promise<ChainHead>;
  /** The error of the last request for the head. Undefined if it succeeded. */
  lastError: () => unknown;
  /** Whether all nodes are down. */
  isAway: () => boolean;
  close: () => void;
};

export type NodeOptions = {
  /** The nodes' HTTP URLs. Requests go to the first available node. */
  urls: readonly string[];
  /** The nodes' WebSocket URLs, in the same order. A missing one is derived from the HTTP URL. */
  webSocketUrls?: readonly string[];
  timeoutMs: number;
  onNodeChange?: OnNodeChange;
} & Pick<HeadOptions, "intervalMs" | "quietMs">;

/**
 * Times for a local chain, which may be slow but has no rate limit, or for a public one. A local chain can get shorter, for
 * example by `evm_revert`, which only polling notices.
 */
export const rpcTimes = (isLocal: boolean) =>
  isLocal ? { quietMs: 500, timeoutMs: 30_000 } : { quietMs: 5_000, timeoutMs: 10_000 };

/** Starts to follow the head through a pool. */
export function headOf(
  pool: RpcPool,
  { urls, webSocketUrls = [], intervalMs, quietMs }: NodeOptions,
  full: boolean,
): FollowedHead & { block: () => Promise<BlockHeader> } {
  const follower = new HeadFollower({
    pool,
    webSocketUrls: urls.map((url, index) => webSocketUrls[index] ?? webSocketUrl(url)),
    full,
    intervalMs,
    quietMs,
  });
  const current = (): ChainHead | undefined => {
    const { head } = follower;
    if (!head) return undefined;
    const { number, hash, timestamp } = head.block;
    return { number: hexToBigInt(number), hash, timestamp: hexToBigInt(timestamp), receivedAt: head.receivedAt };
  };
  return {
    current,
    block: async () => (await follower.first()).block,
    async first() {
      await follower.first();
      const head = current();
      if (!head) throw follower.lastError;
      return head;
    },
    lastError: () => follower.lastError,
    isAway: () => pool.nodes.every(({ isDown }) => isDown),
    close() {
      follower.close();
      pool.close();
    },
  };
}

/**
 * Follows the head of a chain in this process, headers only, with at most one request in flight. Reads come from memory.
 * It does not keep the process alive. Call `close` before starting another one.
 *
 * @example
 * const head = followHead({ urls: ["http://127.0.0.1:8545"], intervalMs: 1_000, quietMs: 5_000, timeoutMs: 10_000 });
 * await head.first(); // { number: 18n, hash: "0x…", timestamp: 1700000000n, receivedAt: 1700000000123 }
 */
export function followHead(options: NodeOptions): FollowedHead {
  return headOf(new RpcPool(options.urls, options.timeoutMs, options.onNodeChange), options, false);
}
