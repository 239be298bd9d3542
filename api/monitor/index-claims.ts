import { sql } from "drizzle-orm";
import type { Hex } from "viem";
import { z } from "zod";
import { eventLog } from "../../ponder.schema";
import { blockOfEvent } from "../../src/lib/event-id";
import type { IndexDatabase } from "../index/database";
import { blockOfCheckpoint } from "../index/head";

/** A block that the index holds rows of. */
export type IndexedBlock = { number: bigint; hash: Hex };

/** What the index says of the chain, read in one statement and so at one moment. */
export type IndexClaims = {
  historyDone: boolean;
  /** The newest indexed block, and its time in unix seconds; null before the first. */
  block: bigint | null;
  timestamp: bigint | null;
  /** The newest block that the indexer treats as final and can't revert. */
  finalizedBlock: bigint | null;
  /** The newest block with an event, and the newest of those up to the finalized block. */
  newestEvent: IndexedBlock | null;
  newestFinalEvent: IndexedBlock | null;
};

const Place = z.object({ id: z.string(), block_hash: z.templateLiteral(["0x", z.string()]) });

const Claims = z.object({
  is_ready: z.coerce.number(),
  latest: z.string().nullable(),
  finalized: z.string().nullable(),
  newest: Place.nullable(),
  newest_final: Place.nullable(),
});

const indexedBlockOf = (place: z.output<typeof Place> | null) =>
  place && { number: blockOfEvent(place.id), hash: place.block_hash };

/** Reads what the index says of the chain. */
export async function readIndexClaims(db: Pick<IndexDatabase, "execute">): Promise<IndexClaims> {
  const place = sql`json_build_object('id', id, 'block_hash', block_hash)`;
  const result = await db.execute(sql`
    WITH checkpoint AS (
      SELECT max(latest_checkpoint) AS latest, max(finalized_checkpoint) AS finalized FROM _ponder_checkpoint
    )
    SELECT
      (SELECT value->>'is_ready' FROM _ponder_meta WHERE key = 'app') AS is_ready, latest, finalized,
      (SELECT ${place} FROM ${eventLog} ORDER BY id DESC LIMIT 1) AS newest,
      (SELECT ${place} FROM ${eventLog}
        WHERE id < lpad((substr(finalized, 27, 16)::bigint + 1)::text, 12, '0') ORDER BY id DESC LIMIT 1) AS newest_final
    FROM checkpoint`);
  const [claims] = z.object({ rows: z.tuple([Claims]) }).parse(result).rows;
  return {
    historyDone: claims.is_ready === 1,
    block: claims.latest === null ? null : blockOfCheckpoint(claims.latest),
    timestamp: claims.latest === null ? null : BigInt(claims.latest.slice(0, 10)),
    finalizedBlock: claims.finalized === null ? null : blockOfCheckpoint(claims.finalized),
    newestEvent: indexedBlockOf(claims.newest),
    newestFinalEvent: indexedBlockOf(claims.newest_final),
  };
}
