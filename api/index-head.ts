import { sql } from "drizzle-orm";
import { z } from "zod";
import type { IndexDatabase } from "./services";

/** Where the index stands. */
type IndexHead = {
  /** Whether all of the chain's history is indexed. */
  historyDone: boolean;
  /** The newest indexed block and its time in unix seconds; null before the first. */
  block: bigint | null;
  timestamp: bigint | null;
};

const Progress = z.object({
  is_ready: z.coerce.number(),
  latest_checkpoint: z.string().nullable(),
});

/** Asks the index where it stands. A Ponder checkpoint is decimal fields of fixed width: time, chain id, block number, … */
async function readIndexHead(db: Pick<IndexDatabase, "execute">): Promise<IndexHead> {
  const result = await db.execute(
    sql`SELECT value->>'is_ready' AS is_ready, (SELECT max(latest_checkpoint) FROM _ponder_checkpoint) AS latest_checkpoint FROM _ponder_meta WHERE key = 'app'`,
  );
  const [progress] = z.object({ rows: z.array(Progress) }).parse(result).rows;
  const checkpoint = progress?.latest_checkpoint;
  return {
    historyDone: progress?.is_ready === 1,
    block: checkpoint ? BigInt(checkpoint.slice(26, 42)) : null,
    timestamp: checkpoint ? BigInt(checkpoint.slice(0, 10)) : null,
  };
}

/** How long a head that was read may serve as the present one. */
const RECENT_MS = 200;

/** Follows the head of the index. */
export type HeadReader = {
  /** Where the index stands now. */
  read: () => Promise<IndexHead>;
  /** The time in unix seconds that decides what has expired. */
  now: () => Promise<bigint>;
};

/**
 * Makes the reader of an index's head. The time is that of day, or that of the newest indexed block where the chain is
 * ahead of it (a local chain can be moved forward); for it the index is asked a few times a second at most, however
 * many requests there are.
 */
export function followHead(db: Pick<IndexDatabase, "execute">): HeadReader {
  let last: { head: Promise<IndexHead>; at: number } | undefined;
  const read = () => {
    const head = readIndexHead(db);
    last = { head, at: Date.now() };
    return head;
  };
  const now = async () => {
    const { timestamp } = await (last && Date.now() - last.at < RECENT_MS ? last.head : read());
    const wallClock = BigInt(Math.floor(Date.now() / 1000));
    return timestamp !== null && timestamp > wallClock ? timestamp : wallClock;
  };
  return { read, now };
}
