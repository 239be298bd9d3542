import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { eventLog } from "../../ponder.schema";
import type { IndexDatabase } from "../indexed/database";
import { textLiteral } from "../indexed/text-literal";
import type { LogPosition, MetadataRecord } from "../offchain/resolved-metadata";
import { metadataSubjects, resolvedMetadata } from "../offchain/tables";
import { metadataColumns, metadataEvents } from "./subjects";

/** The events that one query reads. Each of them may have a very long URI. */
const PAGE = 200;

/** The position before the first event. */
export const START: LogPosition = { eventId: "", blockHash: "" };

export type ChangesPage = {
  /** Whether the log still has the event of the position. A reorg or another chain removes it. */
  isKnown: boolean;
  /** The records that the events after the position have changed, as they are now. */
  records: MetadataRecord[];
  /** The last event that was read, and the last one up to it that can't be reverted; undefined if there is none. */
  last: LogPosition | undefined;
  lastFinal: LogPosition | undefined;
  /** Whether the log may have more events. */
  hasMore: boolean;
};

const Position = z
  .object({ eventId: z.string(), blockHash: z.string() })
  .nullable()
  .transform((position) => position ?? undefined);

const ChangedRecord = z.object({
  subject: z.enum(metadataSubjects),
  subjectId: z.string().transform(BigInt),
  uri: z.string(),
  hash: z.string().nullable(),
  label: z.string().nullable(),
});

const Page = z.object({
  rows: z.tuple([
    z.object({
      is_known: z.boolean(),
      events: z.coerce.number(),
      last: Position,
      last_final: Position,
      records: z.array(ChangedRecord).nullable(),
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

const lastOf = (source: SQL) => sql`(
  SELECT json_build_object('eventId', id, 'blockHash', block_hash) FROM ${source} ORDER BY id DESC LIMIT 1
)`;

/**
 * Reads the events after a position, and the metadata URIs that the records they concern have now, in one statement and so
 * in one snapshot. Its cost depends on the number of new events only.
 */
export async function readChanges(db: IndexDatabase, position: LogPosition): Promise<ChangesPage> {
  const result = await db.execute(sql`
    WITH page AS (
      SELECT id, block_hash, name, args FROM ${eventLog} WHERE id > ${position.eventId} ORDER BY id LIMIT ${PAGE}
    ), kind (name, subject, argument) AS (VALUES ${kinds}), changed AS (
      SELECT DISTINCT subject, (args::json ->> argument)::numeric AS subject_id FROM page JOIN kind USING (name)
    ), final AS (
      -- The block number in a checkpoint has 16 digits, and in an event id 12. The ids of that block sort before its 'z'.
      SELECT substr(max(finalized_checkpoint), 31, 12) || 'z' AS end_id FROM _ponder_checkpoint
    )
    SELECT
      EXISTS (SELECT FROM ${eventLog} WHERE id = ${position.eventId} AND block_hash = ${position.blockHash}) AS is_known,
      (SELECT count(*) FROM page) AS events,
      ${lastOf(sql`page`)} AS last,
      -- Events are read while they are pending, and become final later.
      ${lastOf(sql`${eventLog} WHERE id <= coalesce((SELECT max(id) FROM page), ${position.eventId})
        AND id < (SELECT end_id FROM final)`)} AS last_final,
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

/** The stored metadata that one query compares with the index. */
const COMPARED = 5_000;

/** A place in the order of the stored metadata. */
export type Place = { subject: string; subjectId: string };

export const FIRST_PLACE: Place = { subject: "", subjectId: "0" };

const Comparison = z.object({
  rows: z.tuple([
    z.object({
      compared: z.coerce.number(),
      last: z.object({ subject: z.string(), subjectId: z.string() }).nullable(),
      records: z.array(ChangedRecord).nullable(),
    }),
  ]),
});

/**
 * Reads the records that have another URI or hash than their stored metadata, among those after a place. A reorg that removes
 * an update leaves no event of the record, so the log does not tell. `next` is the place to continue; undefined at the end.
 */
export async function compareStored(
  db: IndexDatabase,
  chainId: number,
  { subject, subjectId }: Place,
): Promise<{ records: MetadataRecord[]; next: Place | undefined }> {
  const stored = resolvedMetadata;
  const result = await db.execute(sql`
    WITH changed AS (
      SELECT ${stored.subject}, ${stored.subjectId}, ${stored.uri}, ${stored.hash} FROM ${stored}
      WHERE ${stored.chainId} = ${chainId} AND (${stored.subject}, ${stored.subjectId}) > (${subject}, ${subjectId}::numeric)
      ORDER BY ${stored.subject}, ${stored.subjectId} LIMIT ${COMPARED}
    )
    SELECT
      (SELECT count(*) FROM changed) AS compared,
      (SELECT json_build_object('subject', subject, 'subjectId', subject_id::text) FROM changed
        ORDER BY subject DESC, subject_id DESC LIMIT 1) AS last,
      (SELECT json_agg(json_build_object(
        'subject', changed.subject, 'subjectId', changed.subject_id::text,
        'uri', record.uri, 'hash', record.hash, 'label', record.label
      )) FROM changed CROSS JOIN LATERAL (${currentRecords}) AS record
        WHERE (changed.uri, changed.hash) IS DISTINCT FROM (record.uri, record.hash)) AS records`);
  const [{ compared, last, records }] = Comparison.parse(result).rows;
  return { records: records ?? [], next: compared === COMPARED && last ? last : undefined };
}
