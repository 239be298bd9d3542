import { and, eq, lt, lte, sql } from "drizzle-orm";
import { z } from "zod";
import type { StoreDatabase } from "../store/open";
import { eventRecord } from "../store/schema";
import type { SentEvent } from "./message";
import { blockOf, type Position, readPosition } from "./position";

/** An event that was sent, and the position before it. */
export type EventRecord = { sent: SentEvent; previous: Position };

/** The events that listeners were sent and that may be taken back. */
export type EventRecords = {
  /** Keeps events, before anyone is sent them; those that are there stay. */
  save: (records: readonly EventRecord[]) => Promise<void>;
  /** An event and those before it on its branch, newest first, as far as they are known. */
  branchOf: (position: Position, limit: number) => Promise<EventRecord[]>;
  /** Forgets events that were kept long ago and are up to this place, where nothing is taken back any more. */
  sweep: (upTo: string) => Promise<void>;
};

/** For how long a listener may have been away and still be told which of its events were removed. */
const KEPT_DAYS = 7;

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

/** A position that this service wrote itself. */
function written(id: string): Position {
  const position = readPosition(id);
  if (!position) throw new Error(`${id} is not a position`);
  return position;
}

/** The records of one chain in the store. */
export function eventRecordsIn(store: () => Promise<StoreDatabase>, chainId: number): EventRecords {
  return {
    async save(records) {
      if (records.length === 0) return;
      const rows = records.map(({ sent, previous }) => ({
        chainId,
        id: sent.position.id,
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
        const position = written(row.id);
        const sent: SentEvent = {
          position,
          blockHash: row.block_hash,
          event: row.event,
          contract: row.contract,
          block: blockOf(position),
          subjects: z.array(z.string()).parse(JSON.parse(row.subjects)),
        };
        return { sent, previous: written(row.previous_id) };
      });
    },
    async sweep(upTo) {
      await (await store())
        .delete(eventRecord)
        .where(
          and(
            eq(eventRecord.chainId, chainId),
            lt(eventRecord.createdAt, sql`now() - make_interval(days => ${KEPT_DAYS})`),
            lte(eventRecord.id, upTo),
          ),
        );
    },
  };
}
