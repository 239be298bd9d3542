import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { participantHour, type participantKinds, participantTotal } from "../../../ponder.schema";
import { MAX_LIMIT } from "../../core/inputs";
import { textLiteral } from "../../indexed/text-literal";
import { tokenPrice } from "../../offchain/tables";

// The SQL of rankings: sums over the hours of participants, at the prices of these hours.

export type ParticipantKind = (typeof participantKinds)[number];

/** A table of our own code's texts: `('receipts', 'self_receipts')`. */
export const texts = (values: readonly string[]): SQL => sql`(${sql.join(values.map(textLiteral), sql`, `)})`;

/** The addresses of the listed tokens, which the query has as the placeholder `listed`. */
export const listedTokens = sql`${sql.placeholder("listed")}::text[]`;

/**
 * Selects the hours of some tokens. Written as an expression that no index has: PostgreSQL 18 would plan to skip through the
 * hours of the primary key for each token, find that expensive, and read the hours of all participants instead.
 */
export const isOneOf = (tokens: SQL): SQL => sql`${participantHour.token} || '' = ANY(${tokens})`;

/**
 * Joins the price of a token in an hour. Only listed tokens have one. The redundant range of hours keeps PostgreSQL from reading
 * all prices: it can't derive the range from that of the rows.
 */
export const joinPrice = (token: SQLWrapper, start: SQLWrapper, range: SQL = sql`true`): SQL =>
  sql`LEFT JOIN ${tokenPrice} ON ${tokenPrice.chainId} = ${sql.placeholder("chainId")}
    AND ${tokenPrice.address} = ${token} AND ${tokenPrice.hour} = ${start}::bigint AND ${range}`;

/** Participants' hours with the prices of their tokens. */
export const pricedHours = sql`${participantHour} ${joinPrice(participantHour.token, participantHour.start)}`;

/** The first second of a window. */
const from = sql.placeholder("from");

/** The same for the hours of a window. */
export const pricedHoursOfWindow = sql`${participantHour} ${joinPrice(
  participantHour.token,
  participantHour.start,
  sql`${tokenPrice.hour} >= ${from}::bigint`,
)}`;

/** Selects the hours of a window. */
export const isInWindow = sql`${participantHour.start} >= ${from}::numeric`;

/** The exact dollars of amounts; zero without a price. */
export const dollarsOfAmounts = (amount: SQLWrapper, filter: SQL = sql`true`): SQL =>
  sql`coalesce(sum(${amount} * ${tokenPrice.unitPrice}) FILTER (WHERE ${filter}), 0)`;

/** Whether rows are of what a participant does with itself, which costs nothing. */
export const isSelf = (metric: PgColumn): SQL => sql`${metric} LIKE 'self%'`;

/** A value that is negative of such rows: the others are of everything, with them. So a sum is without them. */
export const withoutSelf = (metric: PgColumn, value: SQLWrapper): SQL =>
  sql`CASE WHEN ${isSelf(metric)} THEN -${value} ELSE ${value} END`;

/** The sum of a column of a participant's totals in listed tokens. */
export const listedTotal = (
  kind: SQL,
  key: SQLWrapper,
  metric: "receipts" | "fills",
  column: PgColumn,
): SQL => sql`(SELECT coalesce(sum(${column}), 0) FROM ${participantTotal}
  WHERE ${participantTotal.kind} = ${kind} AND ${participantTotal.key} = ${key}
    AND ${participantTotal.metric} = ${textLiteral(metric)} AND ${participantTotal.token} = ANY(${listedTokens}))`;

/** The candidates of each token: as many as the longest ranking has rows, so that a shorter one is its beginning. */
export const candidatesOfToken = sql.raw(String(MAX_LIMIT));

/**
 * The keys of participants with the largest amounts in each of some tokens, without those with themselves: as many as `limit`
 * for each token. Rankings of all time choose among them, so that they don't read the hours of everyone.
 */
export const largestInTokens = (
  tokens: SQL,
  kind: SQL,
  metric: "receipts" | "fills" | "surplus",
  limit: SQL,
): SQL => sql`SELECT largest.key FROM unnest(${tokens}) AS listed(token) CROSS JOIN LATERAL (
    SELECT ${participantTotal.key} FROM ${participantTotal}
    WHERE ${participantTotal.kind} = ${kind} AND ${participantTotal.metric} = ${textLiteral(metric)}
      AND ${participantTotal.token} = listed.token
    ORDER BY ${participantTotal.amount} DESC, ${participantTotal.key} LIMIT ${limit}
  ) AS largest`;
