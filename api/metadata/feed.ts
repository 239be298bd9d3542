import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { eventLog } from "../../ponder.schema";
import { textLiteral } from "../database/text-literal";
import type { IndexDatabase } from "../index/database";
import type { FeedPosition, MetadataRecord } from "../store/resolved-metadata";
import { metadataSubjects } from "../store/schema";
import { metadataColumns, metadataEvents } from "./subjects";

/** The events that one query reads. Each of them may have a very long URI. */
const PAGE = 200;

/** The position before the first event. */
export const START: FeedPosition = { eventId: "", blockHash: "" };

export type FeedPage = {
  /** Whether the log still has the event of the position. A reorg or another chain removes it. */
  isKnown: boolean;
  /** The records that the events after the position have changed, as they are now. */
  records: MetadataRecord[];
  /** The last event that was read, and the last one that can't be reverted; undefined if there is none. */
  last: FeedPosition | undefined;
  lastFinal: FeedPosition | undefined;
  /** Whether the log may have more events. */
  hasMore: boolean;
};

const Position = z
  .object({ eventId: z.string(), blockHash: z.string() })
  .nullable()
  .transform((position) => position ?? undefined);

const Page = z.object({
  rows: z.tuple([
    z.object({
      is_known: z.boolean(),
      events: z.coerce.number(),
      last: Position,
      last_final: Position,
      records: z
        .array(
          z.object({
            subject: z.enum(metadataSubjects),
            subjectId: z.string().transform(BigInt),
            uri: z.string(),
            hash: z.string().nullable(),
            label: z.string().nullable(),
          }),
        )
        .nullable(),
    }),
  ]),
});

const kinds = sql.join(
  metadataEvents.map(
    ({ name, subject, argument }) => sql`(${textLiteral(name)}, ${textLiteral(subject)}, ${textLiteral(argument)})`,
  ),
  sql`, `,
);

/** The record of a changed subject in the index. Only the branch of its kind is read. */
const currentRecords: SQL = sql.join(
  metadataSubjects.map((subject) => {
    const { table, id, uri, hash, label } = metadataColumns[subject];
    return sql`SELECT ${uri} AS uri, ${hash} AS hash, ${label} AS label FROM ${table}
      WHERE changed.subject = ${textLiteral(subject)} AND ${id} = changed.subject_id`;
  }),
  sql` UNION ALL `,
);

const positionOf = (condition: SQL) => sql`(
  SELECT json_build_object('eventId', id, 'blockHash', block_hash) FROM page WHERE ${condition} ORDER BY id DESC LIMIT 1
)`;

/**
 * Reads the events after a position, and the metadata URIs that the records they concern have now, in one statement and so
 * in one snapshot. Its cost depends on the number of new events only.
 */
export async function readFeed(db: IndexDatabase, position: FeedPosition): Promise<FeedPage> {
  const result = await db.execute(sql`
    WITH page AS (
      SELECT id, block_hash, name, args FROM ${eventLog} WHERE id > ${position.eventId} ORDER BY id LIMIT ${PAGE}
    ), kind (name, subject, argument) AS (VALUES ${kinds}), changed AS (
      SELECT DISTINCT subject, (args::json ->> argument)::numeric AS subject_id FROM page JOIN kind USING (name)
    ), final AS (
      -- The block number in a checkpoint has 16 digits, and in an event id 12.
      SELECT substr(max(finalized_checkpoint), 31, 12) AS block FROM _ponder_checkpoint
    )
    SELECT
      EXISTS (SELECT FROM ${eventLog} WHERE id = ${position.eventId} AND block_hash = ${position.blockHash}) AS is_known,
      (SELECT count(*) FROM page) AS events,
      ${positionOf(sql`true`)} AS last,
      ${positionOf(sql`left(id, 12) <= (SELECT block FROM final)`)} AS last_final,
      (SELECT json_agg(json_build_object(
        'subject', changed.subject, 'subjectId', changed.subject_id::text,
        'uri', record.uri, 'hash', record.hash, 'label', record.label
      )) FROM changed CROSS JOIN LATERAL (${currentRecords}) AS record) AS records`);
  const { rows } = Page.parse(result);
  const [{ is_known, events, last, last_final, records }] = rows;
  return {
    isKnown: is_known || position.eventId === START.eventId,
    records: records ?? [],
    last,
    lastFinal: last_final,
    hasMore: events === PAGE,
  };
}
