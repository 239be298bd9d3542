import { and, desc, gt, lte, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { eventLog } from "../../ponder.schema";
import type { IndexDatabase } from "../indexed/database";
import { blockOfCheckpoint } from "../indexed/head";
import type { EventBlock } from "./compare-blocks";
import { blockHashPrefix, type Cursor, cursorOf, START } from "./cursor";
import type { EventRow } from "./message";

type LogStatus = {
  /** Whether the historical backfill is complete. */
  ready: boolean;
  /** Ponder's finalized block. Ponder never reverts this block or one before it. */
  finalizedBlock: bigint;
  /** The newest event. */
  last: Cursor;
};

/** A consistent read of the log: the blocks of a range of events, and the first rows after the range. */
export type Snapshot = Omit<LogStatus, "last"> & {
  blocks: EventBlock[];
  rows: EventRow[];
  /** Whether the log has more rows after these. */
  hasMore: boolean;
};

/** Reads the event log. `after` is exclusive, and `upTo` inclusive. */
export type EventLog = {
  status: () => Promise<LogStatus>;
  /** The last event up to an event id. */
  lastUpTo: (eventId: string) => Promise<Cursor>;
  /** The blocks of a range of events, and the first rows after the range. */
  snapshot: (after: Cursor, upTo: Cursor, limit: number) => Promise<Snapshot>;
  /** Whether the log has the event of this cursor, on the same branch. */
  has: (cursor: Cursor) => Promise<boolean>;
  /**
   * The first rows of a range; with `names`, only events with these names. There can be fewer than `limit` before the end
   * of the range, but at least one. Undefined if the log lacks the event at the end: it is then incomplete, or on another
   * branch.
   */
  rows: (after: Cursor, upTo: Cursor, limit: number, names?: readonly string[]) => Promise<EventRow[] | undefined>;
};

const EventKey = z.object({ id: z.string(), block_hash: z.templateLiteral(["0x", z.string()]) });

/** Ponder's newest finalized checkpoint, and its block number. */
export const newestFinalized = sql`(SELECT max(finalized_checkpoint) FROM _ponder_checkpoint)`;
export const FinalizedBlock = z
  .string()
  .nullable()
  .transform((checkpoint) => (checkpoint === null ? 0n : blockOfCheckpoint(checkpoint)));

const Status = z.object({ is_ready: z.coerce.number(), finalized_checkpoint: FinalizedBlock });

/** The columns of the log. */
export const EventColumns = EventKey.extend({
  block_timestamp: z.coerce.bigint(),
  tx_hash: z.templateLiteral(["0x", z.string()]),
  contract: z.string(),
  name: z.string(),
  args: z.string(),
});

/** A row with the names of the code. */
export const eventRowOf = <Columns extends z.output<typeof EventColumns>>(row: Columns) =>
  ({
    id: row.id,
    blockHash: row.block_hash,
    blockTimestamp: row.block_timestamp,
    txHash: row.tx_hash,
    contract: row.contract as Columns["contract"],
    name: row.name as Columns["name"],
    args: row.args,
  }) satisfies EventRow;

const Rows = z.array(EventColumns.transform(eventRowOf));

/** A query ends after the row that exceeds this number of bytes. Anyone can emit events with very long texts. */
const MAX_BYTES = 64 * 1024;

/** The first of some rows, by id, up to {@link MAX_BYTES} of arguments. */
const sized = (rows: SQL) => sql`
  SELECT id, block_hash, block_timestamp::text, tx_hash, contract, name, args FROM (
    SELECT *, sum(octet_length(args)) OVER (ORDER BY id) - octet_length(args) AS bytes_before FROM (${rows}) AS page
  ) AS sized WHERE bytes_before < ${MAX_BYTES} ORDER BY id`;

/** The first rows that match a condition, by id. */
const firstRows = (condition: SQL | undefined, limit: number) =>
  sql`SELECT * FROM ${eventLog} WHERE ${condition} ORDER BY id LIMIT ${limit}`;

/**
 * The first rows of a range with one of the names, by id. Each name is a range of the index by name and id, which no other
 * index can provide in this order: PostgreSQL would otherwise choose the primary key for a frequent name, and read the rest of
 * the log if the name no longer occurs.
 */
const firstRowsWith = (names: readonly string[], after: Cursor, upTo: Cursor, limit: number) => sql`
  SELECT event.* FROM unnest(${sql.param(names)}::text[]) AS wanted (name) CROSS JOIN LATERAL (
    SELECT * FROM ${eventLog} AS named
    WHERE (named.name, named.id) > (wanted.name, ${after.eventId}::text)
      AND (named.name, named.id) <= (wanted.name, ${upTo.eventId}::text)
    ORDER BY named.name, named.id LIMIT ${limit}
  ) AS event ORDER BY event.id LIMIT ${limit}`;

const Blocks = z.array(z.object({ number: z.string(), hash: z.string() }));

const statusColumns = sql`
  (SELECT value->>'is_ready' FROM _ponder_meta WHERE key = 'app') AS is_ready, ${newestFinalized} AS finalized_checkpoint`;

const statusOf = ({ is_ready, finalized_checkpoint }: z.output<typeof Status>) => ({
  ready: is_ready === 1,
  finalizedBlock: finalized_checkpoint,
});

/** Parses the one row of a result. The driver has parsed JSON columns already. */
function oneRow<Row extends z.ZodType>(row: Row, result: unknown): z.output<Row> {
  return z.object({ rows: z.tuple([row]) }).parse(result).rows[0] as z.output<Row>;
}

/**
 * The event log of the index. Values that must be consistent are read in one statement: between two statements the
 * indexer may revert blocks.
 */
export function eventLogIn(db: IndexDatabase): EventLog {
  const lastUpTo = async (eventId: string) => {
    const [row] = await db
      .select({ id: eventLog.id, blockHash: eventLog.blockHash })
      .from(eventLog)
      .where(lte(eventLog.id, eventId))
      .orderBy(desc(eventLog.id))
      .limit(1);
    return row ? cursorOf(row.id, row.blockHash) : START;
  };
  const isAt = (cursor: Cursor) =>
    sql`${eventLog.id} = ${cursor.eventId} AND starts_with(${eventLog.blockHash}, ${blockHashPrefix(cursor)})`;
  return {
    lastUpTo,
    async status() {
      const row = oneRow(
        Status.extend({ last: EventKey.nullable() }),
        await db.execute(sql`SELECT ${statusColumns}, (
          SELECT json_build_object('id', id, 'block_hash', block_hash) FROM ${eventLog} ORDER BY id DESC LIMIT 1
        ) AS last`),
      );
      return { ...statusOf(row), last: row.last ? cursorOf(row.last.id, row.last.block_hash) : START };
    },
    async snapshot(after, upTo, limit) {
      const row = oneRow(
        Status.extend({ blocks: Blocks.nullable(), rows: Rows.nullable(), last_id: z.string().nullable() }),
        await db.execute(sql`SELECT ${statusColumns}, (
          SELECT json_agg(json_build_object('number', number, 'hash', block_hash) ORDER BY number) FROM (
            SELECT left(id, 12) AS number, block_hash FROM ${eventLog} WHERE id > ${after.eventId} AND id <= ${upTo.eventId} GROUP BY 1, 2
          ) AS block
        ) AS blocks, (
          SELECT json_agg(later ORDER BY later.id) FROM (${sized(firstRows(gt(eventLog.id, upTo.eventId), limit))}) AS later
        ) AS rows, (SELECT max(id) FROM ${eventLog}) AS last_id`),
      );
      const rows = row.rows ?? [];
      const lastRow = rows.at(-1);
      return {
        ...statusOf(row),
        blocks: row.blocks ?? [],
        rows,
        hasMore: lastRow !== undefined && lastRow.id !== row.last_id,
      };
    },
    async has(cursor) {
      if (cursor.id === START.id) return true;
      const rows = await db.select({ id: eventLog.id }).from(eventLog).where(isAt(cursor));
      return rows.length > 0;
    },
    async rows(after, upTo, limit, names) {
      if (upTo.id === START.id) return [];
      const found = names
        ? firstRowsWith(names, after, upTo, limit)
        : firstRows(and(gt(eventLog.id, after.eventId), lte(eventLog.id, upTo.eventId)), limit);
      const { has_end, rows } = oneRow(
        z.object({ has_end: z.boolean(), rows: Rows.nullable() }),
        await db.execute(sql`SELECT EXISTS (SELECT FROM ${eventLog} WHERE ${isAt(upTo)}) AS has_end, (
          SELECT json_agg(page ORDER BY page.id) FROM (${sized(found)}) AS page
        ) AS rows`),
      );
      return has_end ? (rows ?? []) : undefined;
    },
  };
}
