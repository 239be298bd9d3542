import { eq, sql } from "drizzle-orm";
import {
  boolean,
  integer,
  numeric,
  type PgDatabase,
  type PgQueryResultHKT,
  pgSchema,
  text,
  timestamp,
} from "drizzle-orm/pg-core";
import { steadyTime } from "../config/steady-time";
import type { ChainHead } from "./follow-head";

type Database = PgDatabase<PgQueryResultHKT>;

const uint256 = () => numeric({ precision: 78, mode: "bigint" });

/**
 * The newest block of each chain, published by the process that holds the lease. The holder renews it every second;
 * another process takes over after it expires. A table of the off-chain store, which the gateway migrates.
 */
export const chainHead = pgSchema("offchain").table("chain_head", {
  chainId: integer().primaryKey(),
  /** The lease holder. */
  follower: text().notNull(),
  isIndexer: boolean().notNull(),
  renewedAt: timestamp({ withTimezone: true, mode: "date" }).notNull(),
  /** Whether all nodes of the chain are unreachable. */
  isAway: boolean().notNull(),
  number: uint256(),
  hash: text(),
  /** Unix seconds. */
  timestamp: uint256(),
  /** When a node last returned this block as its newest. */
  receivedAt: timestamp({ withTimezone: true, mode: "date" }),
});

/** The lease of a chain head. After this time without renewal another process may take over. */
export const LEASE_MS = 5_000;

/** A process that may follow the head of a chain. An indexer takes the lease from a gateway immediately. */
export type HeadFollower = { id: string; isIndexer: boolean };

/** The newest block, and whether all nodes of the chain are unreachable. */
export type FollowedState = { head: ChainHead | undefined; isAway: boolean };

const milliseconds = (value: number) => sql`make_interval(secs => ${value / 1_000}::float8)`;

/**
 * Publishes a process's view of the head and renews its lease. Returns false, without a change, while another process
 * holds the lease. Uses the database's clock, because clocks of machines differ.
 */
export async function publishHead(
  db: Database,
  chainId: number,
  follower: HeadFollower,
  { head, isAway }: FollowedState,
): Promise<boolean> {
  const now = sql`clock_timestamp()`;
  const known = head && {
    number: head.number,
    hash: head.hash,
    timestamp: head.timestamp,
    receivedAt: sql`clock_timestamp() - ${milliseconds(Math.max(0, steadyTime() - head.receivedAt))}`,
  };
  const state = { follower: follower.id, isIndexer: follower.isIndexer, renewedAt: now, isAway, ...known };
  const rows = await db
    .insert(chainHead)
    .values({ chainId, ...state })
    .onConflictDoUpdate({
      target: chainHead.chainId,
      set: state,
      setWhere: sql`${chainHead.follower} = ${follower.id}
        OR ${chainHead.renewedAt} < clock_timestamp() - ${milliseconds(LEASE_MS)}
        OR (${follower.isIndexer}::boolean AND NOT ${chainHead.isIndexer})`,
    })
    .returning({ chainId: chainHead.chainId });
  return rows.length > 0;
}

const millisecondsSince = (column: typeof chainHead.renewedAt | typeof chainHead.receivedAt) =>
  sql<number>`extract(epoch FROM clock_timestamp() - ${column})::float8 * 1000`;

/** Reads the published head of a chain. Returns undefined if no process holds a valid lease. */
export async function readHead(
  db: Database,
  chainId: number,
): Promise<(FollowedState & { followerId: string }) | undefined> {
  const [row] = await db
    .select({
      followerId: chainHead.follower,
      renewedMsAgo: millisecondsSince(chainHead.renewedAt),
      isAway: chainHead.isAway,
      number: chainHead.number,
      hash: chainHead.hash,
      timestamp: chainHead.timestamp,
      receivedMsAgo: millisecondsSince(chainHead.receivedAt),
    })
    .from(chainHead)
    .where(eq(chainHead.chainId, chainId));
  if (!row || row.renewedMsAgo > LEASE_MS) return undefined;
  const { followerId, isAway, number, hash, timestamp, receivedMsAgo } = row;
  const hasHead = number !== null && hash !== null && timestamp !== null;
  const head = hasHead ? { number, hash, timestamp, receivedAt: steadyTime() - receivedMsAgo } : undefined;
  return { followerId, isAway, head };
}
