import { sql } from "drizzle-orm";
import { z } from "zod";
import type { IndexDatabase } from "./database";

/** Where the index stands. */
export type IndexHead = {
  /** Whether the index has caught up with the chain's history. */
  historyDone: boolean;
  /** The newest indexed block and its time in unix seconds; null before the first. */
  block: bigint | null;
  timestamp: bigint | null;
  /** The newest block of this version's build, which may not be the one that is served yet. */
  builtBlock: bigint | null;
};

const Progress = z.object({
  is_ready: z.coerce.number(),
  latest_checkpoint: z.string().nullable(),
});

/** The block number in a Ponder checkpoint, which is decimal fields of fixed width: time, chain id, block number, … */
export const blockOfCheckpoint = (checkpoint: string) => BigInt(checkpoint.slice(26, 42));

/** Asks the index where it stands. */
async function readIndexHead(db: Pick<IndexDatabase, "execute">, pending: string | undefined): Promise<IndexHead> {
  const result = await db.execute(
    sql`SELECT value->>'is_ready' AS is_ready, (SELECT max(latest_checkpoint) FROM _ponder_checkpoint) AS latest_checkpoint FROM _ponder_meta WHERE key = 'app'`,
  );
  const [progress] = z.object({ rows: z.array(Progress) }).parse(result).rows;
  const checkpoint = progress?.latest_checkpoint;
  const built = pending ?? checkpoint;
  return {
    historyDone: progress?.is_ready === 1 && pending === undefined,
    block: checkpoint ? blockOfCheckpoint(checkpoint) : null,
    timestamp: checkpoint ? BigInt(checkpoint.slice(0, 10)) : null,
    builtBlock: built ? blockOfCheckpoint(built) : null,
  };
}

/** How long a head that was read may serve as the present one. */
const RECENT_MS = 200;

/** How long requests share a read that has not been answered yet. */
const PENDING_MS = 2_000;

/** Follows the head of the index. */
export type HeadReader = {
  /** Where the index stands, or stood a moment ago: an answer that is read afterwards includes at least this block. */
  recent: () => Promise<IndexHead>;
  /** The time in unix seconds that decides what has expired. */
  now: () => Promise<bigint>;
};

/**
 * Makes the reader of an index's head. The index is asked a few times a second at most, however many requests there are.
 * While an earlier build is served, `pendingCheckpoint` says how far this version's build has come.
 * The time is that of day, or that of the newest indexed block where the chain is ahead of it (a local chain can be moved
 * forward).
 */
export function followHead(
  db: Pick<IndexDatabase, "execute">,
  pendingCheckpoint: () => string | undefined = () => undefined,
): HeadReader {
  let last: { head: Promise<IndexHead>; staleAt: number } | undefined;
  const recent = () => {
    if (last && Date.now() < last.staleAt) return last.head;
    const reading = { head: readIndexHead(db, pendingCheckpoint()), staleAt: Date.now() + PENDING_MS };
    last = reading;
    reading.head.then(
      () => {
        reading.staleAt = Math.min(reading.staleAt, Date.now() + RECENT_MS);
      },
      () => {
        reading.staleAt = 0;
      },
    );
    return reading.head;
  };
  const now = async () => {
    const { timestamp } = await recent();
    const wallClock = BigInt(Math.floor(Date.now() / 1000));
    return timestamp !== null && timestamp > wallClock ? timestamp : wallClock;
  };
  return { recent, now };
}
