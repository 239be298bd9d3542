import { sql } from "drizzle-orm";
import type { Hex } from "viem";
import { z } from "zod";
import { blockOfEvent } from "../../common/rows/event-id";
import { eventLog } from "../../ponder.schema";
import type { IndexDatabase } from "../indexed/database";
import { blockOfCheckpoint } from "../indexed/head";

/** A block with its hash as recorded by the index. */
export type IndexedBlock = { number: bigint; hash: Hex };

/** The index's view of the chain, from one consistent read. */
export type IndexState = {
  historyDone: boolean;
  /** The newest indexed block, and its time in unix seconds; null before the first. */
  block: bigint | null;
  timestamp: bigint | null;
  /** The newest block that the indexer can no longer revert. */
  finalizedBlock: bigint | null;
  /** The newest block with an event, overall and up to the finalized block. */
  newestEvent: IndexedBlock | null;
  newestFinalizedEvent: IndexedBlock | null;
};

const EventRow = z.object({ id: z.string(), block_hash: z.templateLiteral(["0x", z.string()]) });

const StateRow = z.object({
  is_ready: z.coerce.number(),
  latest: z.string().nullable(),
  finalized: z.string().nullable(),
  newest: EventRow.nullable(),
  newest_final: EventRow.nullable(),
});

const indexedBlockOf = (event: z.output<typeof EventRow> | null) =>
  event && { number: blockOfEvent(event.id), hash: event.block_hash };

export async function readIndexState(db: Pick<IndexDatabase, "execute">): Promise<IndexState> {
  const event = sql`json_build_object('id', id, 'block_hash', block_hash)`;
  const result = await db.execute(sql`
    WITH checkpoint AS (
      SELECT max(latest_checkpoint) AS latest, max(finalized_checkpoint) AS finalized FROM _ponder_checkpoint
    )
    SELECT
      (SELECT value->>'is_ready' FROM _ponder_meta WHERE key = 'app') AS is_ready, latest, finalized,
      (SELECT ${event} FROM ${eventLog} ORDER BY id DESC LIMIT 1) AS newest,
      (SELECT ${event} FROM ${eventLog}
        WHERE id < lpad((substr(finalized, 27, 16)::bigint + 1)::text, 12, '0') ORDER BY id DESC LIMIT 1) AS newest_final
    FROM checkpoint`);
  const [state] = z.object({ rows: z.tuple([StateRow]) }).parse(result).rows;
  return {
    historyDone: state.is_ready === 1,
    block: state.latest === null ? null : blockOfCheckpoint(state.latest),
    timestamp: state.latest === null ? null : BigInt(state.latest.slice(0, 10)),
    finalizedBlock: state.finalized === null ? null : blockOfCheckpoint(state.finalized),
    newestEvent: indexedBlockOf(state.newest),
    newestFinalizedEvent: indexedBlockOf(state.newest_final),
  };
}
