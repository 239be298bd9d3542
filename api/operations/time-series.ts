import { and, eq, gte, lt } from "drizzle-orm";
import { type Interval, intervalSeconds, startOf } from "../../common/rows/interval";
import { activity, activityMetrics } from "../../ponder.schema";
import { BadInput } from "../core/errors";
import { address, exactly, time } from "../core/inputs";
import { operation, z } from "../core/operation";
import { addressText, timeText, uintText } from "../core/outputs";
import { type Placeholders, preparedQuery } from "../indexed/prepared-query";

const MAX_POINTS = 1_000n;

/** The number of points if `from` is not given. */
const DEFAULT_POINTS: Readonly<Record<Interval, bigint>> = { hour: 48n, day: 30n, week: 26n };

const intervals = ["hour", "day", "week"] as const satisfies Interval[];

const TimeSeries = z
  .strictObject({
    metric: z.enum(activityMetrics),
    interval: z.enum(intervals),
    token: addressText.nullable(),
    from: timeText.openapi({ description: "The start of the first interval, in unix seconds." }),
    to: timeText.openapi({ description: "The end of the last interval, in unix seconds. It is not included." }),
    total: uintText,
    points: z.array(
      z.strictObject({
        start: timeText.openapi({ description: "The start of the interval, in unix seconds." }),
        value: uintText,
      }),
    ),
  })
  .openapi("TimeSeries");

/** The metrics that are sums of amounts, so each token has its own. */
const volumes: readonly string[] = activityMetrics.filter((metric) => metric.endsWith("_volume"));

/** The first week of unix time began in 1969, and times are not negative. */
const atLeastZero = (time: bigint) => (time < 0n ? 0n : time);

type Range = { interval: Interval; from: bigint | undefined; to: bigint };

/** The starts of the first interval and of the one after the last. Throws {@link BadInput} for a bad range. */
export function rangeOf({ interval, from, to }: Range): { first: bigint; end: bigint } {
  if (from !== undefined && from > to) throw new BadInput("from: must not be later than to");
  const seconds = intervalSeconds[interval];
  const last = startOf(interval, to);
  const first = from === undefined ? last - (DEFAULT_POINTS[interval] - 1n) * seconds : startOf(interval, from);
  const points = (last - first) / seconds + 1n;
  if (points > MAX_POINTS)
    throw new BadInput(
      `from, to: have ${points} intervals between them, and the limit is ${MAX_POINTS}. Choose a longer interval or a shorter time`,
    );
  return { first: first < 0n ? startOf(interval, 0n) : first, end: last + seconds };
}

type Query = Pick<typeof activity.$inferSelect, "metric" | "token" | "interval"> & { first: bigint; end: bigint };

const selectActivity = preparedQuery((db, { metric, token, interval, first, end }: Placeholders<Query>) =>
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

const getTimeSeries = operation({
  route: "GET /analytics/timeseries",
  summary: "A metric by hour, day or week of UTC.",
  description:
    "Intervals without activity are zero. Weeks start on Monday. The intervals that contain from and to are the first and the last, and complete.",
  input: z.object({
    metric: exactly(...activityMetrics),
    interval: exactly(...intervals),
    from: time.optional(),
    to: time.optional(),
    token: address.optional(),
  }),
  output: TimeSeries,
  example: { metric: "intents", interval: "day" },
  check(_, { metric, token }) {
    const isVolume = volumes.includes(metric);
    if (isVolume && token === undefined)
      throw new BadInput(`token: is required for ${metric}, because amounts of different tokens can't be added`);
    if (!isVolume && token !== undefined)
      throw new BadInput(`token: can't be combined with ${metric}. Only ${volumes.join(" and ")} are by token`);
  },
  dependsOn: ["index", "time"],
  async run({ db, clock }, { metric, interval, from, to, token }) {
    const { first, end } = rangeOf({ interval, from, to: to ?? (await clock()).now });
    const stored = interval === "week" ? "day" : interval;
    const rows = await selectActivity(db, { metric, token: token ?? "", interval: stored, first, end });
    const values = new Map<bigint, bigint>();
    for (let start = first; start < end; start += intervalSeconds[interval]) values.set(start, 0n);
    let total = 0n;
    for (const { start, value } of rows) {
      const point = startOf(interval, start);
      values.set(point, (values.get(point) ?? 0n) + value);
      total += value;
    }
    return {
      metric,
      interval,
      token: token ?? null,
      from: String(atLeastZero(first)),
      to: String(end),
      total: String(total),
      points: [...values].map(([start, value]) => ({ start: String(atLeastZero(start)), value: String(value) })),
    };
  },
});

export const timeSeries = { timeseries: getTimeSeries };
