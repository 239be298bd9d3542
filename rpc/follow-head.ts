import { hexToBigInt } from "viem";
import type { BlockHeader } from "./block";
import { HeadFollower, type HeadOptions } from "./head";
import { webSocketUrl } from "./new-heads";
import { type OnNodeChange, RpcPool } from "./pool";

/** The newest header of a chain. `receivedAt` is this machine's time in milliseconds. */
export type ChainHead = { number: bigint; hash: string; timestamp: bigint; receivedAt: number };

export type FollowedHead = {
  /** The newest header, from memory; undefined until the first one. */
  current: () => ChainHead | undefined;
  /** The newest header; waits for the first, or throws the error of the first attempt. */
  first: () => Promise<ChainHead>;
  /** Why the last request of the head failed; undefined if it was answered. */
  lastError: () => unknown;
  /** Whether no node answers just now. */
  isAway: () => boolean;
  close: () => void;
};

export type NodeOptions = {
  /** The nodes' HTTP URLs; requests go to the first that is available. */
  urls: readonly string[];
  /** Their WebSocket URLs, in the same order. A node without one is tried at its HTTP URL. */
  webSocketUrls?: readonly string[];
  timeoutMs: number;
  onNodeChange?: OnNodeChange;
} & Pick<HeadOptions, "intervalMs" | "quietMs">;

/** Starts to follow the head with the requests of a pool. */
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
    isAway: () => pool.nodes.every(({ isAway }) => isAway),
    close() {
      follower.close();
      pool.close();
    },
  };
}

/**
 * Follows the head of a chain in this process, headers only, with at most one request in flight. Reading it costs nothing.
 * It does not keep the process alive; call `close` before it is replaced by another.
 *
 * @example
 * const head = followHead({ urls: ["http://127.0.0.1:8545"], intervalMs: 1_000, quietMs: 5_000, timeoutMs: 10_000 });
 * await head.first(); // { number: 18n, hash: "0x…", timestamp: 1700000000n, receivedAt: 1700000000123 }
 */
export function followHead(options: NodeOptions): FollowedHead {
  return headOf(new RpcPool(options.urls, options.timeoutMs, options.onNodeChange), options, false);
}
