import { and, asc, desc, gt, inArray, lte, sql } from "drizzle-orm";
import { z } from "zod";
import { eventLog } from "../../ponder.schema";
import type { IndexDatabase } from "../index/database";
import type { EventBlock } from "./compare";
import type { EventRow } from "./message";
import { branchOf, type Position, positionOf, START } from "./position";

/** Where the log stands. */
type Glance = {
  /** Whether all of the chain's history is in it. */
  ready: boolean;
  /** The newest block that the indexer holds final: nothing up to it will ever be taken back. */
  safeBlock: bigint;
  last: Position;
};

/** What the log holds at one moment: blocks with events in a range, and the rows that come after it. */
export type Snapshot = Omit<Glance, "last"> & { blocks: EventBlock[]; rows: EventRow[] };

/** The log of events, as the reader and those who catch up need it. */
export type EventLog = {
  glance: () => Promise<Glance>;
  /** The last event up to a place. */
  lastUpTo: (place: string) => Promise<Position>;
  /** The blocks of the events after one place and up to another, and the first rows that come after those. */
  snapshot: (after: string, upTo: string, limit: number) => Promise<Snapshot>;
  /** Whether the log has an event at this position. */
  has: (position: Position) => Promise<boolean>;
  /** Rows after one place and up to another, of these events only, if any are named. */
  rows: (after: string, upTo: string, limit: number, names?: readonly string[]) => Promise<EventRow[]>;
};

const Place = z.object({ id: z.string(), block_hash: z.templateLiteral(["0x", z.string()]) });

const Standing = z.object({
  is_ready: z.coerce.number(),
  finalized_checkpoint: z.string().nullable(),
});

const Rows = z.array(
  Place.extend({
    block_timestamp: z.coerce.bigint(),
    tx_hash: z.templateLiteral(["0x", z.string()]),
    contract: z.string(),
    name: z.string(),
    args: z.string(),
  }),
);

const Blocks = z.array(z.object({ number: z.string(), hash: z.string() }));

/** A block's number in a Ponder checkpoint, which is decimal fields of fixed width: time, chain id, block number, … */
const blockIn = (checkpoint: string | null) => (checkpoint === null ? 0n : BigInt(checkpoint.slice(26, 42)));

const standing = sql`
  (SELECT value->>'is_ready' FROM _ponder_meta WHERE key = 'app') AS is_ready,
  (SELECT max(finalized_checkpoint) FROM _ponder_checkpoint) AS finalized_checkpoint`;

const standsAt = ({ is_ready, finalized_checkpoint }: z.output<typeof Standing>) => ({
  ready: is_ready === 1,
  safeBlock: blockIn(finalized_checkpoint),
});

/** The one row of a statement. Drivers give JSON as values. */
function oneRow<Row extends z.ZodType>(row: Row, result: unknown): z.output<Row> {
  return z.object({ rows: z.tuple([row]) }).parse(result).rows[0] as z.output<Row>;
}

/**
 * Reads the log in the database of the index. What must belong together is read in one statement, and so at one moment:
 * between two statements the indexer may take blocks back.
 */
export function eventLogIn(db: IndexDatabase): EventLog {
  const lastUpTo = async (place: string) => {
    const [row] = await db
      .select({ id: eventLog.id, blockHash: eventLog.blockHash })
      .from(eventLog)
      .where(lte(eventLog.id, place))
      .orderBy(desc(eventLog.id))
      .limit(1);
    return row ? positionOf(row.id, row.blockHash) : START;
  };
  return {
    lastUpTo,
    async glance() {
      const row = oneRow(
        Standing.extend({ last: Place.nullable() }),
        await db.execute(sql`SELECT ${standing}, (
          SELECT json_build_object('id', id, 'block_hash', block_hash) FROM ${eventLog} ORDER BY id DESC LIMIT 1
        ) AS last`),
      );
      return { ...standsAt(row), last: row.last ? positionOf(row.last.id, row.last.block_hash) : START };
    },
    async snapshot(after, upTo, limit) {
      const row = oneRow(
        Standing.extend({ blocks: Blocks.nullable(), rows: Rows.nullable() }),
        await db.execute(sql`SELECT ${standing}, (
          SELECT json_agg(json_build_object('number', number, 'hash', block_hash) ORDER BY number) FROM (
            SELECT left(id, 12) AS number, block_hash FROM ${eventLog} WHERE id > ${after} AND id <= ${upTo} GROUP BY 1, 2
          ) AS block
        ) AS blocks, (
          SELECT json_agg(later ORDER BY later.id) FROM (
            SELECT id, block_hash, block_timestamp::text, tx_hash, contract, name, args
            FROM ${eventLog} WHERE id > ${upTo} ORDER BY id LIMIT ${limit}
          ) AS later
        ) AS rows`),
      );
      return {
        ...standsAt(row),
        blocks: row.blocks ?? [],
        rows: (row.rows ?? []).map((later) => ({
          id: later.id,
          blockHash: later.block_hash,
          blockTimestamp: later.block_timestamp,
          txHash: later.tx_hash,
          contract: later.contract,
          name: later.name,
          args: later.args,
        })),
      };
    },
    async has(position) {
      if (position.id === START.id) return true;
      const rows = await db
        .select({ id: eventLog.id })
        .from(eventLog)
        .where(sql`${eventLog.id} = ${position.eventId} AND starts_with(${eventLog.blockHash}, ${branchOf(position)})`);
      return rows.length > 0;
    },
    rows: (after, upTo, limit, names) =>
      db
        .select()
        .from(eventLog)
        .where(and(gt(eventLog.id, after), lte(eventLog.id, upTo), names && inArray(eventLog.name, [...names])))
        .orderBy(asc(eventLog.id))
        .limit(limit),
  };
}
