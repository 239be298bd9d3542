import { randomUUID } from "node:crypto";
import type { FollowedHead } from "../../rpc/follow-head";
import { type FollowedState, publishHead } from "./chain-heads";
import { connectStore } from "./open";

/** How often the head is compared with what was published, and how often it is published without a change. */
const CHECK_MS = 100;
const RENEW_MS = 1_000;

const isSame = (one: FollowedState, other: FollowedState) =>
  one.head?.hash === other.head?.hash && one.isAway === other.isAway;

/**
 * Publishes the head that the indexer follows: the gateways read it from the store instead of asking the chain
 * themselves. A store that does not answer, or has no tables yet, gets the next one.
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
  const round = async () => {
    const state = { head: head.current(), isAway: head.isAway() };
    if (Date.now() - publishedAt >= RENEW_MS || !isSame(state, published)) {
      published = state;
      publishedAt = Date.now();
      await publishHead(db, chainId, follower, state).catch(onError);
    }
    if (!isStopped) timer = setTimeout(() => (running = round()), CHECK_MS).unref();
  };
  let running = round();
  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
      await close();
    },
  };
}
