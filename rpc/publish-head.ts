import { randomUUID } from "node:crypto";
import { drizzle } from "drizzle-orm/node-postgres";
import pg from "pg";
import { isMissingTable } from "../config/missing-table";
import { type Repeated, repeat } from "../config/repeat";
import { steadyTime } from "../config/steady-time";
import type { FollowedHead } from "./follow-head";
import { type FollowedState, publishHead } from "./published-head";

/** Intervals to check for a new head, and to renew the lease without one. */
const CHECK_MS = 100;
const RENEW_MS = 1_000;

/** A publication that takes longer fails, and is repeated. */
const STATEMENT_MS = 5_000;

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
}): Pick<Repeated, "stop"> {
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
  const timeouts = { connectionTimeoutMillis: STATEMENT_MS, statement_timeout: STATEMENT_MS };
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1, ...timeouts });
  pool.on("error", failed);
  const db = drizzle(pool, { casing: "snake_case" });
  const follower = { id: randomUUID(), isIndexer: true };
  let published: FollowedState = { head: undefined, isAway: false };
  let publishedAt = 0;
  const publishChange = async () => {
    const state = { head: head.current(), isAway: head.isAway() };
    if (steadyTime() - publishedAt < RENEW_MS && isSame(state, published)) return;
    published = state;
    publishedAt = steadyTime();
    await publishHead(db, chainId, follower, state).then(succeeded, failed);
  };
  const polls = repeat({ task: publishChange, pauseMs: CHECK_MS, onError: failed });
  return {
    async stop() {
      await polls.stop();
      await pool.end();
    },
  };
}
