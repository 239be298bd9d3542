import { and, eq, lt, lte, sql } from "drizzle-orm";
import { z } from "zod";
import type { StoreDatabase } from "../offchain/open";
import { eventRecord } from "../offchain/tables";
import { blockOf, type Cursor, parseCursor } from "./cursor";
import type { SentEvent } from "./message";

/** An event that was sent, and the cursor before it. */
export type EventRecord = { sent: SentEvent; previous: Cursor };

/** The pending events that were sent. The index forgets orphaned events; their removal is sent from these records. */
export type EventRecords = {
  /** Inserts events before they are sent to a subscriber. Existing records stay as they are. */
  save: (records: readonly EventRecord[]) => Promise<void>;
  /** The recorded events of a branch, from this cursor back, newest first. */
  branchOf: (cursor: Cursor, limit: number) => Promise<EventRecord[]>;
  /** Deletes records past retention, up to this event id. Events after it may still be reverted. */
  prune: (upTo: string) => Promise<void>;
};

/** How long a subscriber may be disconnected and still receive the removals of orphaned events. */
const RETENTION_DAYS = 7;

const Hash = z.templateLiteral(["0x", z.string()]);

const Branch = z.array(
  z.object({
    id: z.string(),
    previous_id: z.string(),
    event: z.string(),
    contract: z.string(),
    block_hash: Hash,
    subjects: z.string(),
  }),
);

function storedCursor(id: string): Cursor {
  const cursor = parseCursor(id);
  if (!cursor) throw new Error(`event_record has the malformed cursor ${id}`);
  return cursor;
}

/** The records of one chain, in the store. */
export function eventRecordsIn(store: () => Promise<StoreDatabase>, chainId: number): EventRecords {
  return {
    async save(records) {
      if (records.length === 0) return;
      const rows = records.map(({ sent, previous }) => ({
        chainId,
        id: sent.cursor.id,
        previousId: previous.id,
        event: sent.event,
        contract: sent.contract,
        blockHash: sent.blockHash,
        subjects: JSON.stringify(sent.subjects),
      }));
      await (await store()).insert(eventRecord).values(rows).onConflictDoNothing();
    },
    async branchOf({ id }, limit) {
      const columns = sql`record.id, record.previous_id, record.event, record.contract, record.block_hash, record.subjects`;
      const result = await (await store()).execute(sql`
        WITH RECURSIVE branch AS (
          SELECT ${columns}, 1 AS depth FROM ${eventRecord} AS record
          WHERE record.chain_id = ${chainId} AND record.id = ${id}
          UNION ALL
          SELECT ${columns}, branch.depth + 1 FROM branch
          JOIN ${eventRecord} AS record ON record.chain_id = ${chainId} AND record.id = branch.previous_id
          WHERE branch.depth < ${limit}
        )
        SELECT id, previous_id, event, contract, block_hash, subjects FROM branch ORDER BY depth`);
      const { rows } = z.object({ rows: Branch }).parse(result);
      return rows.map((row) => {
        const cursor = storedCursor(row.id);
        const sent: SentEvent = {
          cursor,
          blockHash: row.block_hash,
          event: row.event,
          contract: row.contract,
          block: blockOf(cursor),
          subjects: z.array(z.string()).parse(JSON.parse(row.subjects)),
        };
        return { sent, previous: storedCursor(row.previous_id) };
      });
    },
    async prune(upTo) {
      await (await store())
        .delete(eventRecord)
        .where(
          and(
            eq(eventRecord.chainId, chainId),
            lt(eventRecord.createdAt, sql`now() - make_interval(days => ${RETENTION_DAYS})`),
            lte(eventRecord.id, upTo),
          ),
        );
    },
  };
}
