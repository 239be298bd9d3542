import { and, eq, gte, lt, type SQL, sql } from "drizzle-orm";
import { type Interval, intervalSeconds, startOf } from "../../../common/rows/interval";
import { activity, participantHour } from "../../../ponder.schema";
import type { IndexDatabase } from "../../indexed/database";
import { type Placeholders, preparedQuery } from "../../indexed/prepared-query";
import { tokenPrice } from "../../offchain/tables";
import { dollarText } from "../../prices/value";
import { isOneOf, joinPrice, type ParticipantKind } from "./hours";

type ActivityMetric = (typeof activity.$inferSelect)["metric"];

/** The participant of a series. */
export type Participant = { kind: ParticipantKind; key: string };

/** What a series sums up, by interval. `tokens` are those of a volume. */
export type SeriesQuery = {
  metric: ActivityMetric;
  interval: Interval;
  /** The starts of the first interval and of the one after the last. */
  first: bigint;
  end: bigint;
  tokens: readonly string[];
};

/** The sum of an interval that is not zero, and of the whole series. */
export type Point = { start: bigint; value: string; total: string };

/** The metrics that participants have, as rows of `participant_hour`. */
const participantMetrics = {
  receipts: { metric: "receipts", value: participantHour.count },
  receipt_volume: { metric: "receipts", value: participantHour.amount },
  bids: { metric: "bids", value: participantHour.count },
  fills: { metric: "fills", value: participantHour.count },
  fill_volume: { metric: "fills", value: participantHour.amount },
} as const;

export type ParticipantMetric = keyof typeof participantMetrics;

export const isParticipantMetric = (metric: string): metric is ParticipantMetric =>
  Object.hasOwn(participantMetrics, metric);

type Rows = { start: string; value: string; total: string };

const { placeholder } = sql;

const seconds = sql`${placeholder("seconds")}::bigint`;

/** The start of the interval that contains an hour. Intervals begin `shift` seconds before a multiple of their length. */
const intervalOf = (hour: SQL) => sql`(${hour} - (${hour} + ${placeholder("shift")}::bigint) % ${seconds})`;

/** Sums by interval. Each row has the total of all, which must not be a sum of rounded values. */
const summed = (db: IndexDatabase, from: SQL, hour: SQL, value: SQL, textOf: (sum: SQL) => SQL<string | null>) => {
  const start = sql`${intervalOf(hour)}`;
  return db
    .select({
      start: sql<string>`points.start::text`,
      value: textOf(sql`points.value`) as SQL<string>,
      total: textOf(sql`sum(points.value) OVER ()`) as SQL<string>,
    })
    .from(sql`(SELECT ${start} AS start, coalesce(sum(${value}), 0) AS value FROM ${from} GROUP BY 1) AS points`);
};

const wholeText = (sum: SQL) => sql<string>`${sum}::text`;

const between = (hour: SQL) =>
  sql`${hour} >= ${placeholder("first")}::numeric AND ${hour} < ${placeholder("end")}::numeric`;

const tokens = sql`${placeholder("tokens")}::text[]`;

const pricesBetween = sql`${tokenPrice.address} = ANY(${tokens})
  AND ${tokenPrice.hour} >= ${placeholder("first")}::bigint AND ${tokenPrice.hour} < ${placeholder("end")}::bigint`;

const activityHour = sql`${activity.start}`;
const participantStart = sql`${participantHour.start}`;

const selectDollars = preparedQuery((db: IndexDatabase) =>
  summed(
    db,
    sql`${activity} ${joinPrice(activity.token, activity.start, pricesBetween)} WHERE ${activity.metric} = ${placeholder("metric")}
      AND ${activity.interval} = 'hour' AND ${activity.token} = ANY(${tokens}) AND ${between(activityHour)}`,
    activityHour,
    sql`${activity.value} * ${tokenPrice.unitPrice}`,
    dollarText,
  ),
);

/** The hours in which agents paid. */
const paidHours = sql`${participantHour} WHERE ${participantHour.kind} = 'agent' AND ${participantHour.metric} = 'receipts'
  AND ${between(participantStart)}`;

const ofParticipant = sql`${participantHour.kind} = ${placeholder("kind")} AND ${participantHour.key} = ${placeholder("key")}
  AND ${participantHour.metric} = ${placeholder("metric")} AND ${between(participantStart)}`;

const selectParticipantDollars = preparedQuery((db: IndexDatabase) =>
  summed(
    db,
    sql`${participantHour} ${joinPrice(participantHour.token, participantHour.start, pricesBetween)}
      WHERE ${ofParticipant} AND ${isOneOf(tokens)}`,
    participantStart,
    sql`${participantHour.amount} * ${tokenPrice.unitPrice}`,
    dollarText,
  ),
);

const selectParticipantVolume = preparedQuery((db: IndexDatabase) =>
  summed(
    db,
    sql`${participantHour} WHERE ${ofParticipant} AND ${isOneOf(tokens)}`,
    participantStart,
    sql`${participantHour.amount}`,
    wholeText,
  ),
);

const selectParticipantCounts = preparedQuery((db: IndexDatabase) =>
  summed(
    db,
    sql`${participantHour} WHERE ${ofParticipant}`,
    participantStart,
    sql`${participantHour.count}`,
    wholeText,
  ),
);

/** Each agent counts once in an interval, and once in the total. */
const selectActiveAgents = preparedQuery((db: IndexDatabase) =>
  db
    .select({
      start: sql<string>`start::text`,
      value: sql<string>`count(DISTINCT key)::text`,
      total: sql<string>`(SELECT count(DISTINCT ${participantHour.key}) FROM ${paidHours})::text`,
    })
    .from(sql`(SELECT ${participantHour.key}, ${intervalOf(participantStart)} AS start FROM ${paidHours}) AS hours`)
    .groupBy(sql`start`),
);

/** Weeks start on Monday, and times begin on a Thursday. */
const shiftOf = (interval: Interval) => -startOf(interval, 0n);

const rangeValues = ({ interval, first, end }: Pick<SeriesQuery, "interval" | "first" | "end">) => ({
  first,
  end,
  seconds: intervalSeconds[interval],
  shift: shiftOf(interval),
});

const valuesOf = (query: SeriesQuery) => ({
  ...rangeValues(query),
  metric: query.metric,
  tokens: [...query.tokens],
});

const toPoint = ({ start, value, total }: Rows): Point => ({ start: BigInt(start), value, total });

/** Reads the dollars of a volume by interval, exactly, rounded at the end. */
export async function readDollars(
  db: IndexDatabase,
  chainId: number,
  query: SeriesQuery,
  participant: Participant | undefined,
): Promise<Point[]> {
  const values = { ...valuesOf(query), chainId };
  if (!participant) return (await selectDollars(db, values)).map(toPoint);
  const { metric } = participantMetrics[query.metric as ParticipantMetric];
  return (await selectParticipantDollars(db, { ...values, ...participant, metric })).map(toPoint);
}

/** Reads how many agents paid, by interval. */
export const readActiveAgents = async (
  db: IndexDatabase,
  query: Pick<SeriesQuery, "interval" | "first" | "end">,
): Promise<Point[]> => (await selectActiveAgents(db, rangeValues(query))).map(toPoint);

/** Reads the counts or amounts of one participant by interval. */
export async function readOfParticipant(
  db: IndexDatabase,
  query: SeriesQuery & { metric: ParticipantMetric },
  participant: Participant,
): Promise<Point[]> {
  const { metric, value } = participantMetrics[query.metric];
  const select = value === participantHour.amount ? selectParticipantVolume : selectParticipantCounts;
  return (await select(db, { ...valuesOf(query), ...participant, metric })).map(toPoint);
}

type StoredQuery = Pick<typeof activity.$inferSelect, "metric" | "token" | "interval"> & { first: bigint; end: bigint };

const selectActivity = preparedQuery((db, { metric, token, interval, first, end }: Placeholders<StoredQuery>) =>
  db
    .select({ start: activity.start, value: activity.value })
    .from(activity)
    .where(
      and(
        eq(activity.metric, metric),
        eq(activity.token, token),
        eq(activity.interval, interval),
        gte(activity.start, first),
        lt(activity.start, end),
      ),
    ),
);

/** Reads the counts or amounts of the whole chain. Weeks are sums of days. */
export async function readActivity(db: IndexDatabase, { metric, interval, first, end, tokens }: SeriesQuery) {
  const stored = interval === "week" ? "day" : interval;
  const rows = await selectActivity(db, { metric, token: tokens[0] ?? "", interval: stored, first, end });
  const values = new Map<bigint, bigint>();
  let total = 0n;
  for (const { start, value } of rows) {
    const point = startOf(interval, start);
    values.set(point, (values.get(point) ?? 0n) + value);
    total += value;
  }
  return [...values].map(([start, value]): Point => ({ start, value: String(value), total: String(total) }));
}
