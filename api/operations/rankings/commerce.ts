import { type SQL, sql } from "drizzle-orm";
import {
  activity,
  merchant,
  participantHour,
  participantTotal,
  service,
  total,
  type totalSubjects,
} from "../../../ponder.schema";
import type { IndexDatabase } from "../../indexed/database";
import { preparedQuery } from "../../indexed/prepared-query";
import { textLiteral } from "../../indexed/text-literal";
import { dollarText } from "../../prices/value";
import { dollarsOfAmounts, joinPrice, largestInTokens, listedTokens, pricedHours, texts, withoutSelf } from "./hours";

/** The number of rows per ranking. */
export const TOP = 20;

type Subject = (typeof totalSubjects)[number];

/** The subjects of rankings. Each ends with the kind of the participant. */
export const rankings = [
  "receipts_by_token",
  "receipts_by_merchant",
  "receipts_by_service",
  "receipts_by_facilitator",
  "receipts_by_payment_rail",
] as const satisfies Subject[];

/** The subjects of totals over everything. */
export const overall = [
  "merchants",
  "services",
  "facilitators",
  "quotes",
  "disputes_by_status",
  "signals_by_kind",
] as const satisfies Subject[];

const { subject, key, volume } = total;
const top = sql.raw(String(TOP));
const byVolume = sql`ORDER BY ${volume} DESC, ${key} LIMIT ${top}`;

/** Totals of the largest volumes, which add up amounts of different tokens: records without a listed token have no other order. */
const largest = (of: Subject, where = sql`true`) =>
  sql`(SELECT ${subject}, ${key} FROM ${total} WHERE ${subject} = ${textLiteral(of)} AND ${where} ${byVolume})`;

/** The participants with the largest amounts in a listed token that was paid. */
const largestOf = (kind: "merchant" | "service" | "facilitator") =>
  sql`SELECT ${textLiteral(`receipts_by_${kind}`)}, candidate.key FROM (${largestInTokens(
    sql`(SELECT array_agg(token) FROM paid)`,
    textLiteral(kind),
    "receipts",
    top,
  )}) AS candidate`;

/** The keys of the totals that are read: of everything, of all listed tokens, and of the candidates of each ranking. */
const candidates = sql`
  SELECT ${subject}, ${key} FROM ${total} WHERE ${subject} IN ${texts(overall)}
  UNION SELECT 'receipts_by_token', token FROM paid
  UNION ${largest("receipts_by_token", sql`NOT ${key} = ANY(${listedTokens})`)}
  UNION ${sql.join(
    rankings.map((of) => largest(of)),
    sql` UNION `,
  )}
  UNION ${sql.join((["merchant", "service", "facilitator"] as const).map(largestOf), sql` UNION `)}`;

/** The listed tokens with receipts. */
const paid = sql`SELECT listed.token FROM unnest(${listedTokens}) AS listed(token)
  WHERE EXISTS (SELECT FROM ${total} WHERE ${subject} = 'receipts_by_token' AND ${key} = listed.token)`;

const kind = sql`substr(found.subject, 13)`;

/** The dollars of a token's receipts, from its volume by hour. */
const tokenDollars = sql`SELECT ${dollarsOfAmounts(activity.value)} AS dollars
  FROM ${activity} ${joinPrice(activity.token, activity.start)}
  WHERE ${activity.metric} = 'receipt_volume' AND ${activity.token} = found.key AND ${activity.interval} = 'hour'
    AND found.subject = 'receipts_by_token'`;

const receipts = texts(["receipts", "self_receipts"]);

/** The dollars of a participant's receipts, without those of itself. */
const participantDollars = sql`SELECT ${dollarsOfAmounts(withoutSelf(participantHour.metric, participantHour.amount))} AS dollars
  FROM ${pricedHours}
  WHERE ${participantHour.kind} = ${kind} AND ${participantHour.key} = found.key AND ${participantHour.metric} IN ${receipts}`;

/** The same receipts and their counterparties in listed tokens. */
const inListedTokens = sql`SELECT coalesce(sum(${participantTotal.counterparties}), 0) AS counterparties,
    coalesce(sum(${withoutSelf(participantTotal.metric, participantTotal.count)}), 0) AS receipts
  FROM ${participantTotal}
  WHERE ${participantTotal.kind} = ${kind} AND ${participantTotal.key} = found.key
    AND ${participantTotal.metric} IN ${receipts} AND ${participantTotal.token} = ANY(${listedTokens})`;

const isListed = sql`(found.subject = 'receipts_by_token' AND found.key = ANY(${listedTokens}))`;

/** `OFFSET 0` makes PostgreSQL read each total by its key, however many candidates it expects. */
const totals = sql`WITH paid AS MATERIALIZED (${paid})
  SELECT found.*, ${isListed} AS listed, token.dollars + participant.dollars AS dollars, listed.counterparties,
    CASE WHEN ${isListed} THEN found.count ELSE listed.receipts END AS listed_receipts
  FROM (${candidates}) AS candidate
  CROSS JOIN LATERAL (SELECT * FROM ${total} WHERE ${subject} = candidate.subject AND ${key} = candidate.key OFFSET 0) AS found
  CROSS JOIN LATERAL (${tokenDollars}) AS token
  CROSS JOIN LATERAL (${participantDollars}) AS participant
  CROSS JOIN LATERAL (${inListedTokens}) AS listed`;

/** Only the keys of these subjects are numbers. */
const idOf = (of: Subject) => sql`CASE WHEN totals.subject = ${textLiteral(of)} THEN totals.key::numeric END`;

const ofService = sql`${service.serviceNumericId} = ${idOf("receipts_by_service")}`;

type Values = { chainId: number; listed: string[] };

const field = (name: string) => sql.raw(`totals.${name}`);
const number = (name: string) => sql`${field(name)}`.mapWith(Number);
const bigint = (name: string) => sql`${field(name)}`.mapWith(BigInt);

/**
 * Selects the overall totals, and the candidates of each ranking with their merchants and services, in the order of the
 * rankings: dollars of listed tokens, counterparties and receipts in them. The sum of all amounts orders only those that have
 * none. It reads only these rows from an index, and the hours of the candidates.
 */
export const selectCommerce = preparedQuery<Values, CommerceRow, IndexDatabase>((db) =>
  db
    .select({
      subject: sql<Subject>`totals.subject`,
      key: sql<string>`totals.key`,
      count: number("count"),
      active: number("active"),
      settled: number("settled"),
      volume: bigint("volume"),
      protocolFees: bigint("protocol_fees"),
      listed: sql<boolean>`totals.listed`,
      dollars: dollarText(field("dollars")) as SQL<string>,
      /** The exact sum, rounded once. */
      dollarsOfSubject: dollarText(sql`sum(totals.dollars) OVER (PARTITION BY totals.subject)`) as SQL<string>,
      counterparties: sql<string>`totals.counterparties::text`,
      owner: sql<string | null>`(SELECT ${merchant.owner} FROM ${merchant}
        WHERE ${merchant.merchantId} = ${idOf("receipts_by_merchant")})`,
      serviceId: sql<string | null>`(SELECT ${service.serviceId} FROM ${service} WHERE ${ofService})`,
      merchantId: sql<string | null>`(SELECT ${service.merchantId}::text FROM ${service} WHERE ${ofService})`,
    })
    .from(sql`(${totals}) AS totals`)
    .orderBy(
      sql`totals.dollars DESC, totals.counterparties DESC, totals.listed_receipts DESC,
        CASE WHEN totals.listed_receipts = 0 THEN totals.volume END DESC NULLS LAST, totals.key`,
    ),
);

export type CommerceRow = {
  subject: Subject;
  key: string;
  count: number;
  active: number;
  settled: number;
  volume: bigint;
  protocolFees: bigint;
  listed: boolean;
  dollars: string;
  dollarsOfSubject: string;
  counterparties: string;
  owner: string | null;
  serviceId: string | null;
  merchantId: string | null;
};
