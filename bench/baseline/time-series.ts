import { Router } from "express";
import { activityMetrics } from "../../ponder.schema";
import { NOW, query } from "./database";
import { address, HttpError, optional, seconds } from "./input";

export const timeSeries = Router();

/** The length of each interval in seconds, and the number of points if `from` is not given. */
const intervals: Record<string, { length: number; points: number }> = {
  hour: { length: 3_600, points: 48 },
  day: { length: 86_400, points: 30 },
  week: { length: 604_800, points: 26 },
};

const MAX_POINTS = 1_000;

/** Weeks start on Monday, and unix time started on a Thursday. */
const startOf = (interval: string, length: number, time: number) => {
  const shift = interval === "week" ? 3 * 86_400 : 0;
  return Math.floor((time + shift) / length) * length - shift;
};

const now = async () => Number((await query<{ now: string }>(`SELECT ${NOW} AS now`))[0]?.now);

timeSeries.get("/analytics/timeseries", async (req, res) => {
  const metric = activityMetrics.find((name) => name === req.query.metric);
  if (!metric) throw new HttpError(400, `metric: must be one of ${activityMetrics.join(", ")}`);
  const interval = String(req.query.interval);
  const { length, points } = intervals[interval] ?? {};
  if (!length || !points) throw new HttpError(400, "interval: must be one of hour, day, week");
  const token = optional(address, "token", req.query);
  if (metric.endsWith("_volume") !== (token !== undefined))
    throw new HttpError(400, "token: is required for volumes, and only for them");
  const from = optional(seconds, "from", req.query);
  const to = optional(seconds, "to", req.query) ?? (await now());
  const last = startOf(interval, length, to);
  const first = from === undefined ? last - (points - 1) * length : startOf(interval, length, from);
  if (from !== undefined && from > to) throw new HttpError(400, "from: must not be later than to");
  if ((last - first) / length >= MAX_POINTS) throw new HttpError(400, `from, to: the limit is ${MAX_POINTS} intervals`);
  const rows = await query<{ start: string; value: string }>(
    `SELECT start, value FROM activity
     WHERE metric = $1 AND token = $2 AND interval = $3 AND start >= $4 AND start < $5`,
    [metric, token ?? "", interval === "week" ? "day" : interval, first, last + length],
  );
  const values = new Map<number, bigint>();
  for (let start = Math.max(first, startOf(interval, length, 0)); start <= last; start += length) values.set(start, 0n);
  for (const { start, value } of rows) {
    const point = startOf(interval, length, Number(start));
    values.set(point, (values.get(point) ?? 0n) + BigInt(value));
  }
  const timeText = (time: number) => String(Math.max(time, 0));
  res.json({
    metric,
    interval,
    token: token ?? null,
    from: timeText(first),
    to: String(last + length),
    total: String([...values.values()].reduce((sum, value) => sum + value, 0n)),
    points: [...values].map(([start, value]) => ({ start: timeText(start), value: String(value) })),
  });
});
