import { randomUUID } from "node:crypto";
import type { FollowedHead } from "../../rpc/follow-head";
import { type FollowedState, publishHead } from "./chain-heads";
import { connectStore } from "./open";

/** Intervals to check for a new head, and to renew the lease without one. */
const CHECK_MS = 100;
const RENEW_MS = 1_000;

const isSame = (one: FollowedState, other: FollowedState) =>
  one.head?.hash === other.head?.hash && one.isAway === other.isAway;

/**
 * Publishes the indexer's head to the store, so gateways need not poll the chain. Errors (an unavailable store, missing
 * tables) are reported and retried at the next renewal.
 */
export function publishIndexerHead({
  databaseUrl,
  chainId,
  head,
  onError,
}: {
  databaseUrl: string;
  chainId: number;
  head: Pick<FollowedHead, "current" | "isAway">;
  onError: (error: unknown) => void;
}): { stop: () => Promise<void> } {
  const { db, close } = connectStore({ databaseUrl, maxConnections: 1, onIdleError: onError });
  const follower = { id: randomUUID(), isIndexer: true };
  let published: FollowedState = { head: undefined, isAway: false };
  let publishedAt = 0;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const poll = async () => {
    const state = { head: head.current(), isAway: head.isAway() };
    if (Date.now() - publishedAt >= RENEW_MS || !isSame(state, published)) {
      published = state;
      publishedAt = Date.now();
      await publishHead(db, chainId, follower, state).catch(onError);
    }
    if (!isStopped) timer = setTimeout(() => (running = poll()), CHECK_MS).unref();
  };
  let running = poll();
  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
      await close();
    },
  };
}
