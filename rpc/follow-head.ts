import { hexToBigInt } from "viem";
import { HeadFollower } from "./head";
import { webSocketUrl } from "./new-heads";
import { RpcPool } from "./pool";

/** The newest header of a chain. `receivedAt` is this machine's time in milliseconds. */
type ChainHead = { number: bigint; hash: string; timestamp: bigint; receivedAt: number };

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

/**
 * Follows the head of a chain in this process, headers only, with at most one request in flight. Reading it costs nothing.
 * It does not keep the process alive; call `close` before it is replaced by another.
 *
 * @example
 * const head = followHead({ urls: ["http://127.0.0.1:8545"], intervalMs: 1_000, quietMs: 5_000, timeoutMs: 10_000 });
 * await head.first(); // { number: 18n, hash: "0x…", timestamp: 1700000000n, receivedAt: 1700000000123 }
 */
export function followHead({
  urls,
  webSocketUrls = [],
  timeoutMs,
  ...options
}: {
  urls: readonly string[];
  webSocketUrls?: readonly string[];
  intervalMs: number;
  quietMs: number;
  timeoutMs: number;
}): FollowedHead {
  const pool = new RpcPool(urls, timeoutMs);
  const follower = new HeadFollower({
    pool,
    webSocketUrls: urls.map((url, index) => webSocketUrls[index] ?? webSocketUrl(url)),
    full: false,
    ...options,
  });
  const current = (): ChainHead | undefined => {
    const { head } = follower;
    if (!head) return undefined;
    const { number, hash, timestamp } = head.block;
    return { number: hexToBigInt(number), hash, timestamp: hexToBigInt(timestamp), receivedAt: head.receivedAt };
  };
  return {
    current,
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
