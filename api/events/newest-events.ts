import { sql } from "drizzle-orm";
import { z } from "zod";
import { contractNames } from "../../config/contracts";
import { eventLog, intent } from "../../ponder.schema";
import { eventId } from "../../src/lib/event-id";
import type { IndexDatabase } from "../index/database";
import { endOfBlock } from "./cursor";
import { EventColumns, eventRowOf, FinalizedBlock, finalizedColumn } from "./event-log";
import { eventsAboutIntents } from "./facts";
import { eventNames } from "./filter";

/** A query ends after the row that exceeds this number of bytes. Anyone can emit events with very long texts. */
const MAX_BYTES = 1024 * 1024;

const token = z.templateLiteral(["0x", z.string()]).nullable();

const Row = EventColumns.extend({
  contract: z.enum(contractNames),
  name: z.enum(eventNames),
  input_token: token,
  output_token: token,
  finalized_checkpoint: FinalizedBlock,
}).transform(({ input_token, output_token, finalized_checkpoint, ...row }) => ({
  event: eventRowOf(row),
  finalizedBlock: finalized_checkpoint,
  /** The tokens of the intent, for events with amounts of them. */
  tokens: input_token && output_token ? { inputToken: input_token, outputToken: output_token } : undefined,
}));

const Rows = z.object({ rows: z.array(Row) });

/** The least and the greatest event id. */
const [FIRST_ID, LAST_ID] = [eventId(0n, 0), endOfBlock(999_999_999_999n)];

/**
 * The newest rows, of all events or of those with one of the names. Each name is a range of the index by name and id, which
 * no other index can provide in this order. So it reads no more of them than asked for, however rare the name is, and only
 * the rows that are the newest of all names.
 */
const newestRows = (names: readonly string[] | undefined, limit: number) =>
  names
    ? sql`SELECT * FROM ${eventLog} AS event WHERE event.id = ANY(ARRAY(
        SELECT newest.id FROM unnest(${sql.param(names)}::text[]) AS wanted (name) CROSS JOIN LATERAL (
          SELECT named.id FROM ${eventLog} AS named
          WHERE (named.name, named.id) >= (wanted.name, ${FIRST_ID}::text)
            AND (named.name, named.id) <= (wanted.name, ${LAST_ID}::text)
          ORDER BY named.name DESC, named.id DESC LIMIT ${limit}
        ) AS newest ORDER BY newest.id DESC LIMIT ${limit}
      ))`
    : sql`SELECT * FROM ${eventLog} ORDER BY id DESC LIMIT ${limit}`;

/**
 * The newest events first, in one query: at most `limit`, and at most {@link MAX_BYTES} of arguments. With `values`, only those
 * of them that have each value as an argument.
 */
export async function newestEvents(
  db: IndexDatabase,
  names: readonly string[] | undefined,
  limit: number,
  values: readonly string[] = [],
): Promise<z.output<typeof Row>[]> {
  const aboutIntents = sql.param([...eventsAboutIntents]);
  const hasValues = values.map((value) => sql` AND strpos(args, ${JSON.stringify(value)}) > 0`);
  const found = await db.execute(sql`
    SELECT sized.id, block_hash, block_timestamp::text, sized.tx_hash, contract, name, args,
      about.input_token, about.output_token, ${finalizedColumn}
    FROM (
      SELECT *, sum(octet_length(args)) OVER (ORDER BY id DESC) - octet_length(args) AS bytes_before
      FROM (${newestRows(names, limit)}) AS page
    ) AS sized
    LEFT JOIN ${intent} AS about ON about.intent_id =
      CASE WHEN name = ANY(${aboutIntents}::text[]) THEN (args::json ->> 'intentId')::numeric END
    WHERE bytes_before < ${MAX_BYTES}${sql.join(hasValues)} ORDER BY sized.id DESC`);
  return Rows.parse(found).rows;
}
