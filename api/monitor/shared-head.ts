import { randomUUID } from "node:crypto";
import { repeat } from "../../config/repeat";
import { steadyTime } from "../../config/steady-time";
import type { FollowedHead } from "../../rpc/follow-head";
import { type FollowedState, LEASE_MS, publishHead, readHead } from "../../rpc/published-head";
import type { StoreDatabase } from "../offchain/open";

export type SharedHead = Pick<FollowedHead, "current" | "isAway" | "close">;

type Options = {
  store: () => Promise<StoreDatabase>;
  chainId: number;
  /** Milliseconds between reads of the published head. */
  intervalMs: number;
  /** Starts to follow the chain in this process. */
  follow: () => FollowedHead;
  onError: (error: unknown) => void;
};

/**
 * Reads the published head of a chain. One process holds the lease and follows the chain: the indexer, or, if none runs,
 * the first gateway to acquire it. If the store is unavailable, this process follows the chain itself.
 */
export function readSharedHead({ store, chainId, intervalMs, follow, onError }: Options): SharedHead {
  const follower = { id: randomUUID(), isIndexer: false };
  const startedAt = steadyTime();
  let own: FollowedHead | undefined;
  let shared: FollowedState = { head: undefined, isAway: false };
  let isClosed = false;

  const ownState = (): FollowedState => ({ head: own?.current(), isAway: own?.isAway() ?? false });

  async function isFollowedElsewhere(): Promise<boolean> {
    const db = await store();
    const published = await readHead(db, chainId);
    if (published && published.followerId !== follower.id) {
      shared = published;
      return true;
    }
    // Give an indexer that starts at the same time one lease period to publish first.
    if (!own && steadyTime() - startedAt < LEASE_MS) return true;
    return !(await publishHead(db, chainId, follower, ownState()));
  }

  async function round(): Promise<void> {
    // If the store is unavailable, this process follows the chain itself.
    let isElsewhere = false;
    try {
      isElsewhere = await isFollowedElsewhere();
    } finally {
      if (isElsewhere) {
        own?.close();
        own = undefined;
      } else if (!isClosed) own ??= follow();
    }
  }

  const rounds = repeat({ task: round, pauseMs: intervalMs, onError });
  return {
    current: () => own?.current() ?? shared.head,
    isAway: () => (own ? own.isAway() : shared.isAway),
    close() {
      isClosed = true;
      void rounds.stop();
      own?.close();
    },
  };
}
