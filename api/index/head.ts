import { sql } from "drizzle-orm";
import { z } from "zod";
import type { IndexDatabase } from "./database";

/** The progress of the index. */
export type IndexHead = {
  /** Whether the backfill is done. */
  historyDone: boolean;
  /** The newest indexed block and its time in unix seconds; null before the first. */
  block: bigint | null;
  timestamp: bigint | null;
  /** The newest block of this version's build, which may not be the served build yet. */
  builtBlock: bigint | null;
};

const Progress = z.object({
  is_ready: z.coerce.number(),
  latest_checkpoint: z.string().nullable(),
});

/** The block number of a Ponder checkpoint: fixed-width decimal fields for time, chain id, block number, … */
export const blockOfCheckpoint = (checkpoint: string) => BigInt(checkpoint.slice(26, 42));

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

/** How long a read head is cached. */
const RECENT_MS = 200;

/** How long requests share a pending read. */
const PENDING_MS = 2_000;

export type HeadReader = {
  /** The index head, at most 200 ms old. Later reads of the index include at least this block. */
  recent: () => Promise<IndexHead>;
  /** The current time in unix seconds, for expiry checks. */
  now: () => Promise<bigint>;
};

/**
 * Creates a cached reader of the index head. It queries the database a few times per second at most. While an earlier
 * build is served, `pendingCheckpoint` returns the checkpoint of this version's build. `now` is the later of the wall
 * clock and the newest block's timestamp, because a local chain's clock can be moved forward.
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
