import { placeholder, type SQL, sql } from "drizzle-orm";
import { agent, attestor, facilitator, merchant, service, solver, solverActivity, total } from "../../../ponder.schema";
import { textLiteral } from "../../indexed/text-literal";
import type { MetadataSubject } from "../../offchain/resolved-metadata";
import { metadataSubjects, resolvedMetadata } from "../../offchain/tables";

/**
 * How candidates are found: by words, by an id in decimal digits (which may also be a word), by the first digits of an address
 * or hash, by a capability hash, or by the most fulfilled receipts and fills.
 */
export type Mode = "words" | "id" | "hex" | "capability" | "fulfilled";

/** The candidates that a search ranks at most. Common words match most records. */
const MAX_CANDIDATES = 2_000;

/** How well a whole id, address or hash matches. A word matches up to about 2. */
const EXACT = sql.raw("3::float8");
const PARTIAL = sql.raw("1::float8");

const limit = sql.raw(`LIMIT ${MAX_CANDIDATES}`);

const candidate = (subject: MetadataSubject, id: SQL, match: SQL) =>
  sql`SELECT ${textLiteral(subject)}::text AS subject, ${id} AS subject_id, ${match} AS match, false AS is_named, false AS is_text`;

const isNamed = sql`lower(${resolvedMetadata.name}) = lower(${placeholder("words")}::text)`;

/** The English stems of words, or the words themselves in names. */
const wholeWords = (name: string) =>
  sql`(websearch_to_tsquery('english', ${placeholder(name)}::text) || websearch_to_tsquery('simple', ${placeholder(name)}::text))`;

const whole = wholeWords("words");

/** A text whose last word is incomplete: the words before it, and its first letters. Empty letters are for other texts. */
const typed = sql`CASE WHEN ${placeholder("letters")}::text = '' THEN ''::tsquery
  ELSE ${wholeWords("before")} && to_tsquery('simple', ${placeholder("letters")}::text || ':*') END`;

const words = sql`(${whole} || ${typed})`;

const rankOf = (query: SQL) => sql`ts_rank('{0, 0.2, 0.5, 1}', ${resolvedMetadata.search}, (SELECT ${query}))::float8`;

/** Whole words match better than the first letters of one. */
const TYPED_SHARE = sql.raw("0.1");

/**
 * Records whose metadata has the words. The type is one of the indexed words, so that a rare type is not searched among all
 * matches. An empty query matches nothing. The query is a subselect, so that PostgreSQL plans for few matches: for a common
 * word it would read the table until it has found enough, and the records of one type may be at its end.
 */
const byWords = (type: MetadataSubject | undefined) => {
  const query = type ? sql`${words} && ${textLiteral(`'subject:${type}'`)}::tsquery` : words;
  return sql`(
    SELECT ${resolvedMetadata.subject} AS subject, ${resolvedMetadata.subjectId} AS subject_id,
      greatest(${rankOf(whole)}, ${TYPED_SHARE} * ${rankOf(typed)}) AS match,
      coalesce(${isNamed}, false) AS is_named, true AS is_text
    FROM ${resolvedMetadata}
    WHERE (SELECT numnode(${words}) > 0) AND ${resolvedMetadata.search} @@ (SELECT ${query})
      AND ${resolvedMetadata.chainId} = ${placeholder("chainId")}
    ${limit}
  )`;
};

/** Records with the text as their name. A search of their words may end before it finds them. */
const byName = (type: MetadataSubject | undefined) => sql`(
    SELECT ${resolvedMetadata.subject}, ${resolvedMetadata.subjectId}, ${PARTIAL}, true, true
    FROM ${resolvedMetadata}
    WHERE ${resolvedMetadata.chainId} = ${placeholder("chainId")} AND ${isNamed}
      ${type ? sql`AND ${resolvedMetadata.subject} = ${textLiteral(type)}` : sql``}
    ${limit}
  )`;

const byId = (subjects: readonly MetadataSubject[]) =>
  subjects.map((subject) => sql`(${candidate(subject, sql`${placeholder("number")}::numeric`, EXACT)})`);

/** The indexed column with the address that acts for a record. */
export const addressColumns = {
  agent: sql`${agent.owner}`,
  merchant: sql`${merchant.owner}`,
  facilitator: sql`${facilitator.facilitator}`,
  solver: sql`${solver.operator}`,
  attestor: sql`${attestor.operator}`,
} as const;

/** The indexed columns with addresses, and with hashes. */
const addresses = [
  ["agent", sql`${agent}`, sql`${agent.agentId}`, addressColumns.agent],
  ["merchant", sql`${merchant}`, sql`${merchant.merchantId}`, addressColumns.merchant],
  ["facilitator", sql`${facilitator}`, sql`${facilitator.facilitatorId}`, addressColumns.facilitator],
  ["solver", sql`${solver}`, sql`${solver.solverId}`, addressColumns.solver],
  ["attestor", sql`${attestor}`, sql`${attestor.attestorId}`, addressColumns.attestor],
] as const;

const hashes = [
  ["agent", sql`${agent}`, sql`${agent.agentId}`, sql`${agent.capabilitiesHash}`],
  ["service", sql`${service}`, sql`${service.serviceNumericId}`, sql`${service.capabilityHash}`],
  ["solver", sql`${solver}`, sql`${solver.solverId}`, sql`${solver.capabilitiesHash}`],
] as const;

/** Values that start with the digits. No collation sorts a hex digit after `g`, so an index has them in one range. */
const startsWithDigits = (column: SQL) =>
  sql`${column} >= ${placeholder("digits")}::text AND ${column} < ${placeholder("digits")}::text || 'g'`;

const matchOf = (column: SQL) =>
  sql`CASE WHEN ${column} = ${placeholder("digits")}::text THEN ${EXACT} ELSE ${PARTIAL} END`;

const byHex = (subjects: readonly MetadataSubject[]) => [
  ...[...addresses, ...hashes]
    .filter(([subject]) => subjects.includes(subject))
    .map(
      ([subject, table, id, column]) =>
        sql`(${candidate(subject, id, matchOf(column))} FROM ${table} WHERE ${startsWithDigits(column)} ${limit})`,
    ),
  sql`(
    SELECT ${resolvedMetadata.subject}, ${resolvedMetadata.subjectId}, ${matchOf(sql`${resolvedMetadata.hash}`)}, false, true
    FROM ${resolvedMetadata}
    WHERE ${startsWithDigits(sql`${resolvedMetadata.hash}`)} AND ${resolvedMetadata.chainId} = ${placeholder("chainId")}
    ${limit}
  )`,
];

const byCapability = (subjects: readonly MetadataSubject[]) =>
  hashes
    .filter(([subject]) => subjects.includes(subject))
    .map(
      ([subject, table, id, column]) =>
        sql`(${candidate(subject, id, PARTIAL)} FROM ${table} WHERE ${column} = ${placeholder("capability_hash")} ORDER BY ${id} ${limit})`,
    );

/** Totals of facilitators and attestors whose counts are compared. No index has counts, so the largest volumes are read. */
const MAX_COUNTED = sql.raw("5000");

/** The totals of facilitators and attestors. */
const totalsByAddress: Partial<Record<MetadataSubject, (typeof total.$inferSelect)["subject"]>> = {
  facilitator: "receipts_by_facilitator",
  attestor: "attestations_by_attester",
};

/** The records with enough fulfilled receipts, fills, receipts or attestations. Agents have none. */
const byFulfilled = (subjects: readonly MetadataSubject[]) => {
  // Each candidate costs several lookups, so the kinds share the limit.
  const limit = sql.raw(`LIMIT ${Math.floor(MAX_CANDIDATES / subjects.length)}`);
  const ofReceipts = (subject: "merchant" | "service") =>
    sql`(${candidate(subject, sql`${total.key}::numeric`, PARTIAL)} FROM ${total}
      WHERE ${total.subject} = ${textLiteral(`receipts_by_${subject}`)} AND ${total.fulfilled} >= ${placeholder("min_fulfilled")}::integer
      ORDER BY ${total.fulfilled} DESC, ${total.key} ${limit})`;
  const ofFills = sql`(${candidate("solver", sql`registered.id`, PARTIAL)}
    FROM (
      SELECT ${solverActivity.solver} AS operator FROM ${solverActivity}
      WHERE ${solverActivity.fills} >= ${placeholder("min_fulfilled")}::integer
      ORDER BY ${solverActivity.fills} DESC, ${solverActivity.solver} ${limit}
    ) AS busiest CROSS JOIN LATERAL (
      SELECT ${solver.solverId} AS id FROM ${solver} WHERE ${solver.operator} = busiest.operator ORDER BY ${solver.solverId} LIMIT 1
    ) AS registered)`;
  const ofCounts = addresses.flatMap(([subject, table, id, column]) => {
    const totals = totalsByAddress[subject];
    if (!totals || !subjects.includes(subject)) return [];
    return sql`(${candidate(subject, sql`registered.id`, PARTIAL)}
      FROM (
        SELECT address FROM (
          SELECT ${total.key} AS address, ${total.count} AS count FROM ${total}
          WHERE ${total.subject} = ${textLiteral(totals)} ORDER BY ${total.volume} DESC, ${total.key} LIMIT ${MAX_COUNTED}
        ) AS counted
        WHERE count >= ${placeholder("min_fulfilled")}::integer ORDER BY count DESC, address ${limit}
      ) AS busiest CROSS JOIN LATERAL (
        SELECT ${id} AS id FROM ${table} WHERE ${column} = busiest.address ORDER BY ${id} LIMIT 1
      ) AS registered)`;
  });
  return [
    ...ofCounts,
    ...(["merchant", "service"] as const).filter((subject) => subjects.includes(subject)).map(ofReceipts),
    ...(subjects.includes("solver") ? [ofFills] : []),
  ];
};

/**
 * The SQL of the candidates: their subject, id, match, whether their name is the text, and whether they are found by their
 * metadata. `idOf` is the only kind whose id is sought, as in `solver 1`.
 */
export function candidates(mode: Mode, type: MetadataSubject | undefined, idOf: MetadataSubject | undefined): SQL {
  const subjects = type ? [type] : metadataSubjects;
  const parts = {
    words: () => [byWords(type), byName(type)],
    id: () => [byWords(type), byName(type), ...byId(subjects.filter((subject) => !idOf || subject === idOf))],
    hex: () => byHex(subjects),
    capability: () => byCapability(subjects),
    fulfilled: () => byFulfilled(subjects),
  }[mode]();
  const nothing = sql`(SELECT NULL::text AS subject, NULL::numeric AS subject_id, 0::float8 AS match, false AS is_named, false AS is_text LIMIT 0)`;
  return sql`SELECT subject, subject_id, max(match) AS match, bool_or(is_named) AS is_named, bool_and(is_text) AS is_text
    FROM (${sql.join([nothing, ...parts], sql` UNION ALL `)}) AS found GROUP BY subject, subject_id`;
}
