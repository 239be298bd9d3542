import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { eventId } from "../../common/rows/event-id";
import { contractNames } from "../../config/contracts";
import { eventLog, intent } from "../../ponder.schema";
import type { Selectable } from "../indexed/database";
import { type Placeholders, preparedQuery } from "../indexed/prepared-query";
import { textLiteral } from "../indexed/text-literal";
import { endOfBlock } from "./cursor";
import { EventColumns, eventRowOf, FinalizedBlock, newestFinalized } from "./event-log";
import { eventsAboutIntents } from "./facts";
import { eventNames } from "./protocol-events";

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

const Rows = z.array(Row);

/** The greatest number of a block that an event id can have. */
const LAST_BLOCK = 999_999_999_999n;

type Values = { limit: number; names: readonly string[]; values: readonly string[]; firstId: string; lastId: string };

const newestOfAll = ({ limit, firstId, lastId }: Placeholders<Values>) => sql`SELECT * FROM ${eventLog}
  WHERE id BETWEEN ${firstId}::text AND ${lastId}::text ORDER BY id DESC LIMIT ${limit}`;

/**
 * The newest rows of the events with one of the names. Each name is a range of the index by name and id, which no other index
 * can provide in this order. So it reads no more of them than asked for, however rare the name is, and only the rows that are
 * the newest of all names.
 */
const newestWithNames = ({
  names,
  limit,
  firstId,
  lastId,
}: Placeholders<Values>) => sql`SELECT * FROM ${eventLog} AS event
  WHERE event.id = ANY(ARRAY(
    SELECT newest.id FROM unnest(${names}::text[]) AS wanted (name) CROSS JOIN LATERAL (
      SELECT named.id FROM ${eventLog} AS named
      WHERE (named.name, named.id) >= (wanted.name, ${firstId}::text)
        AND (named.name, named.id) <= (wanted.name, ${lastId}::text)
      ORDER BY named.name DESC, named.id DESC LIMIT ${limit}
    ) AS newest ORDER BY newest.id DESC LIMIT ${limit}
  ))`;

const aboutIntents = sql.join(eventsAboutIntents.map(textLiteral), sql`, `);

const fields = {
  id: sql`sized.id`,
  block_hash: sql`block_hash`,
  block_timestamp: sql`block_timestamp::text`,
  tx_hash: sql`sized.tx_hash`,
  contract: sql`contract`,
  name: sql`name`,
  args: sql`args`,
  input_token: sql`about.input_token`,
  output_token: sql`about.output_token`,
  finalized_checkpoint: newestFinalized,
};

const selectNewest = (newest: (values: Placeholders<Values>) => SQL) =>
  preparedQuery((db: Selectable, values: Placeholders<Values>) =>
    db
      .select(fields)
      .from(
        sql`(
          SELECT *, sum(octet_length(args)) OVER (ORDER BY id DESC) - octet_length(args) AS bytes_before
          FROM (${newest(values)}) AS page
        ) AS sized
        LEFT JOIN ${intent} AS about ON about.intent_id =
          CASE WHEN name IN (${aboutIntents}) THEN (args::json ->> 'intentId')::numeric END`,
      )
      .where(
        sql`bytes_before < ${MAX_BYTES}
          AND NOT EXISTS (SELECT FROM unnest(${values.values}::text[]) AS wanted (value) WHERE strpos(args, value) = 0)`,
      )
      .orderBy(sql`sized.id DESC`),
  );

const selectAll = selectNewest(newestOfAll);
const selectNamed = selectNewest(newestWithNames);

type Selection = {
  names?: readonly string[] | undefined;
  limit: number;
  /** Selects those of the newest that have each of these values as an argument. */
  values?: readonly string[];
  block?: bigint | undefined;
};

/** The newest events first, in one query: at most `limit`, and at most {@link MAX_BYTES} of arguments. */
export async function newestEvents(
  db: Selectable,
  { names, limit, values = [], block }: Selection,
): Promise<z.output<typeof Row>[]> {
  if (block !== undefined && block > LAST_BLOCK) return [];
  const select = names ? selectNamed : selectAll;
  const rows = await select(db, {
    names: names ?? [],
    limit,
    values: values.map((value) => JSON.stringify(value)),
    firstId: eventId(block ?? 0n, 0),
    lastId: endOfBlock(block ?? LAST_BLOCK),
  });
  return Rows.parse(rows);
}
