import { type SQL, sql } from "drizzle-orm";
import { attestation, attestor, eventLog, participantHour, participantTotal, total } from "../../ponder.schema";
import { textLiteral } from "../indexed/text-literal";
import { dollarsOf, dollarText } from "../prices/value";
import { participants, type TrustKind } from "./participant";

// The figures of a record in a query that has its columns as `own` (ownColumns). The query has the placeholders `listed`,
// the addresses of the listed tokens, and `chainId`. Each figure is read from a limited number of rows.

/** The newest attestations about a subject that are read. Anyone can attest. */
const MAX_ATTESTATIONS = sql.raw("1000");

type Totals = { receipts: number; counterparties: number; credit: number };
type Disputes = { open: number; lost: number; all: number };

const listed = sql`ANY(${sql.placeholder("listed")}::text[])`;

const metricsOf = (kind: TrustKind) => {
  const { payments, selfPayments } = participants[kind];
  return sql.join(
    [payments, selfPayments].flatMap((metric) => (metric ? [textLiteral(metric)] : [])),
    sql`, `,
  );
};

/** The sign of a payment between addresses of one owner is negative, because it is also one of all payments. */
const signed = (kind: TrustKind, metric: SQL, value: SQL) =>
  sql`CASE ${metric} WHEN ${textLiteral(participants[kind].payments)} THEN ${value} ELSE -${value} END`;

/** The payments in listed tokens that are not between addresses of one owner, and what they say about the record. */
export function totalsOf(kind: TrustKind, key: SQL = sql`own.key`): SQL<Totals> {
  const { count, counterparties, credit, metric } = participantTotal;
  return sql<Totals>`(
    SELECT json_build_object(
      'receipts', coalesce(sum(${signed(kind, sql`${metric}`, sql`${count}`)}), 0),
      'counterparties', coalesce(sum(${counterparties}), 0),
      'credit', coalesce(sum(${credit}), 0)
    )
    FROM ${participantTotal}
    WHERE ${participantTotal.kind} = ${textLiteral(kind)} AND ${participantTotal.key} = ${key}
      AND ${metric} IN (${metricsOf(kind)}) AND ${participantTotal.token} = ${listed}
  )`;
}

/** The dollars of the same payments at the prices of their hours, with those of claims. Hours without a price don't count. */
export function dollarsOfRecord(kind: TrustKind): SQL<string> {
  const { metric, amount, token, start } = participantHour;
  const dollars = dollarsOf(sql`${amount}`, sql`${token}`, sql`${start}::bigint`);
  return sql<string>`coalesce((
    SELECT ${dollarText(sql`sum(${signed(kind, sql`${metric}`, dollars)})`)} FROM ${participantHour}
    WHERE ${participantHour.kind} = ${textLiteral(kind)} AND ${participantHour.key} = own.key
      AND ${metric} IN (${metricsOf(kind)}) AND ${token} = ${listed}
  ), '0')`;
}

/** The disputes of the record by outcome; null for kinds that have none. */
export function disputesOf(kind: TrustKind): SQL<Disputes | null> {
  const { disputes } = participants[kind];
  if (!disputes) return sql<null>`NULL::json`;
  const keyOf = (status: string) => sql`own.key || ${textLiteral(`-${status}`)}`;
  const countOf = (status: string) =>
    sql`coalesce(sum(${total.count}) FILTER (WHERE ${total.key} = ${keyOf(status)}), 0)`;
  const keys = ["OPEN", "RESOLVED", "REJECTED"].map(keyOf);
  return sql<Disputes>`(
    SELECT json_build_object(
      'open', ${countOf("OPEN")}, 'lost', ${countOf(disputes.lost)}, 'all', coalesce(sum(${total.count}), 0)
    )
    FROM ${total} WHERE ${total.subject} = ${textLiteral(disputes.subject)} AND ${total.key} IN (${sql.join(keys, sql`, `)})
  )`;
}

/** The subject of attestations about an address: 12 zero bytes and the address. */
export const subjectOfAddress = (address: SQL): SQL<string> =>
  sql<string>`'0x' || lpad(substr(${address}, 3), 64, '0')`;

/** The number of active registered attestors, other than the record itself, with a valid attestation about its address. */
export const attestorsOf = (): SQL<number> => sql<number>`(
  SELECT count(DISTINCT newest.attester)::integer FROM (
    SELECT ${attestation.attester} AS attester, ${attestation.revoked} AS revoked FROM ${attestation}
    WHERE ${attestation.subject} = ${subjectOfAddress(sql`own.address`)}
    ORDER BY ${attestation.attestationId} DESC LIMIT ${MAX_ATTESTATIONS}
  ) AS newest
  WHERE NOT newest.revoked AND newest.attester <> own.address
    AND EXISTS (SELECT FROM ${attestor} WHERE ${attestor.operator} = newest.attester AND ${attestor.active})
)`;

/** The time of the block of the registration, as its last event has it. */
export const registeredAt = (): SQL<string> => sql<string>`(
  SELECT ${eventLog.blockTimestamp}::text FROM ${eventLog}
  WHERE ${eventLog.id} < lpad((own.block + 1)::text, 12, '0') ORDER BY ${eventLog.id} DESC LIMIT 1
)`;

const DAY = 86_400n;

/** Whole days from a time until now. */
export const daysSince = (time: bigint, now: bigint): number => (now > time ? Number((now - time) / DAY) : 0);
