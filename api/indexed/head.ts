import { isDeepStrictEqual } from "node:util";
import { sql } from "drizzle-orm";
import type { Selectable } from "./database";
import { preparedQuery } from "./prepared-query";
import { type SharedRead, shareReads } from "./shared-read";

/** The progress of the index. */
export type IndexHead = {
  /** Whether the backfill of this version's build is done, and it is served. */
  historyDone: boolean;
  /** Whether the backfill of the served build is done. A restarted indexer begins with a backfill. */
  isComplete: boolean;
  /** The newest indexed block and its time in unix seconds; null before the first. */
  block: bigint | null;
  timestamp: bigint | null;
  /** The newest block of this version's build, which may not be the served build yet. */
  builtBlock: bigint | null;
  /** Identifies the contents of the index: it is different after every commit of the indexer. */
  revision: string;
};

/** The block number of a Ponder checkpoint: fixed-width decimal fields for time, chain id, block number, … */
export const blockOfCheckpoint = (checkpoint: string) => BigInt(checkpoint.slice(26, 42));

/**
 * Workaround of Ponder 0.16.10: docs/upstream.md#checkpoint-of-a-reorg
 *
 * The transaction that last wrote the checkpoint identifies the newest block's commit, also if another block of the same
 * height replaced it. Ponder reverts blocks without writing the checkpoint; then the newest event is another one. Without the
 * event, a cached response would contain reverted rows.
 *
 * A starting Ponder locks the event log before its checkpoints. This query uses them in the same order, so that it waits
 * for Ponder instead of blocking it.
 *
 * Test: test/core/reorg.test.ts "by snapshot and revert leaves the canonical rows"
 */
const selectProgress = preparedQuery((db: Selectable) =>
  db
    .select({
      isReady: sql<string | null>`value->>'is_ready'`,
      checkpoint: sql<string | null>`checkpoint.latest_checkpoint`,
      revision: sql<string>`concat_ws(' ', current_schema(), checkpoint.xmin, newest.id, newest.block_hash)`,
    })
    .from(
      sql`_ponder_meta
        LEFT JOIN (SELECT id, block_hash FROM event_log ORDER BY id DESC LIMIT 1) AS newest ON true
        LEFT JOIN (SELECT xmin, latest_checkpoint FROM _ponder_checkpoint ORDER BY latest_checkpoint DESC LIMIT 1)
          AS checkpoint ON true`,
    )
    .where(sql`key = 'app'`),
);

async function readIndexHead(
  db: Selectable,
  { pendingCheckpoint = () => undefined, source = () => undefined, served = () => {} }: Following,
): Promise<IndexHead> {
  const before = source();
  const [progress] = await selectProgress(db, {});
  // Another server or build is read now. It has what was served before, but may lack what this answer has.
  if (source() !== before) return readIndexHead(db, { pendingCheckpoint, source, served });
  const pending = pendingCheckpoint();
  const checkpoint = progress?.checkpoint;
  if (checkpoint) served(checkpoint);
  const built = pending ?? checkpoint;
  return {
    historyDone: Number(progress?.isReady) === 1 && pending === undefined,
    isComplete: Number(progress?.isReady) === 1,
    block: checkpoint ? blockOfCheckpoint(checkpoint) : null,
    timestamp: checkpoint ? BigInt(checkpoint.slice(0, 10)) : null,
    builtBlock: built ? blockOfCheckpoint(built) : null,
    revision: progress?.revision ?? "",
  };
}

/** The time in unix seconds for expiry checks: the later of the wall clock and the newest block's timestamp. */
export function timeAt({ timestamp }: Pick<IndexHead, "timestamp">): bigint {
  const wallClock = BigInt(Math.floor(Date.now() / 1000));
  // A local chain's clock can be moved forward.
  return timestamp !== null && timestamp > wallClock ? timestamp : wallClock;
}

type Following = {
  /** The checkpoint of this version's build while an earlier build is served. */
  pendingCheckpoint?: () => string | undefined;
  /** Identifies the server and the build that are read. */
  source?: () => unknown;
  /** Called with each checkpoint that is read. */
  served?: (checkpoint: string) => void;
};

/** Creates a shared reader of the index head. Heads are the same object as long as nothing has changed. */
export function followHead(db: Selectable, following: Following = {}): SharedRead<IndexHead> {
  let last: IndexHead | undefined;
  return shareReads(async () => {
    const head = await readIndexHead(db, following);
    if (!last || !isDeepStrictEqual(last, head)) last = head;
    return last;
  });
}
