import { sql } from "drizzle-orm";
import { z } from "zod";
import type { IndexDatabase } from "./services";

/** Where the index stands. */
export type IndexHead = {
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
export async function readIndexHead(db: Pick<IndexDatabase, "execute">): Promise<IndexHead> {
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
const FRESH_MS = 200;

/**
 * Makes the clock of the gateway: the time of day, or that of the newest indexed block where the chain is ahead of it (a
 * local chain can be moved forward). It asks the index a few times a second at most, however many ask it.
 */
export function chainClock(db: Pick<IndexDatabase, "execute">): () => Promise<bigint> {
  let head: Promise<IndexHead> | undefined;
  let readAt = 0;
  return async () => {
    const now = Date.now();
    if (!head || now - readAt > FRESH_MS) {
      readAt = now;
      head = readIndexHead(db);
      head.catch(() => {
        head = undefined;
      });
    }
    const wallClock = BigInt(Math.floor(now / 1000));
    const { timestamp } = await head;
    return timestamp !== null && timestamp > wallClock ? timestamp : wallClock;
  };
}
