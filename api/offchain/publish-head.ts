import { randomUUID } from "node:crypto";
import { steadyTime } from "../../config/steady-time";
import type { FollowedHead } from "../../rpc/follow-head";
import { type FollowedState, publishHead } from "./chain-heads";
import { isMissingTable } from "./missing-table";
import { connectStore } from "./open";

/** Intervals to check for a new head, and to renew the lease without one. */
const CHECK_MS = 100;
const RENEW_MS = 1_000;

const isSame = (one: FollowedState, other: FollowedState) =>
  one.head?.hash === other.head?.hash && one.isAway === other.isAway;

/**
 * Publishes the indexer's head to the store, so gateways need not poll the chain. After an error it retries at the next
 * renewal. It calls `onFailure` with the first error of a series, and `onRecovery` with the next success. Before a gateway has
 * created the tables, nothing is published.
 */
export function publishIndexerHead({
  databaseUrl,
  chainId,
  head,
  onFailure,
  onRecovery,
}: {
  databaseUrl: string;
  chainId: number;
  head: Pick<FollowedHead, "current" | "isAway">;
  onFailure: (error: unknown) => void;
  onRecovery: () => void;
}): { stop: () => Promise<void> } {
  let isFailing = false;
  const failed = (error: unknown) => {
    if (isMissingTable(error)) return;
    if (!isFailing) onFailure(error);
    isFailing = true;
  };
  const succeeded = () => {
    if (isFailing) onRecovery();
    isFailing = false;
  };
  const { db, close } = connectStore({ databaseUrl, maxConnections: 1, onIdleError: failed });
  const follower = { id: randomUUID(), isIndexer: true };
  let published: FollowedState = { head: undefined, isAway: false };
  let publishedAt = 0;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const poll = async () => {
    const state = { head: head.current(), isAway: head.isAway() };
    if (steadyTime() - publishedAt >= RENEW_MS || !isSame(state, published)) {
      published = state;
      publishedAt = steadyTime();
      await publishHead(db, chainId, follower, state).then(succeeded, failed);
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
