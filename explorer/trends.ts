import type { TimeSeries } from "../client/src/api";
import type { Reads } from "./reads";
import { sumOfDecimals } from "./text/decimals";

/** What a chart shows, with its title. */
export const trends = {
  volume: "Volume in dollars",
  intents: "Intents",
  fills: "Fills",
  receipts: "Receipts",
  disputes: "Disputes",
} as const;

export type TrendName = keyof typeof trends;

/** How far a chart goes back, and the words for it. */
export const ranges = { "24h": "24 h", "7d": "7 d", "30d": "30 d", all: "All" } as const;

export type Range = keyof typeof ranges;

export type Interval = "hour" | "day" | "week";

export type Points = TimeSeries["points"];

type Span = { interval: Interval; from?: string };

const HOUR = 3_600;
const DAY = 86_400;

/** A chart has at most about this many columns. */
const MAX_DAYS = 200;

async function readMetric(api: Reads, metric: TimeSeries["metric"], span: Span): Promise<Points> {
  const unit = metric.endsWith("_volume") ? ("usd" as const) : ("raw" as const);
  return (await api.analytics.timeseries.query({ metric, unit, ...span })).points;
}

/** Adds series of the same intervals. */
const added = (first: Points, second: Points): Points =>
  first.map(({ start, value }, index) => ({ start, value: sumOfDecimals([value, second[index]?.value ?? "0"]) }));

/** Reads a trend. The volume is that of fills and of receipts, in listed tokens. */
export async function readTrend(api: Reads, name: TrendName, span: Span): Promise<Points> {
  if (name !== "volume") return readMetric(api, name, span);
  const [fills, receipts] = await Promise.all([
    readMetric(api, "fill_volume", span),
    readMetric(api, "receipt_volume", span),
  ]);
  return added(fills, receipts);
}

/** The intervals of a range that ends now. `start` is when all activity began. */
export function spanOf(range: Range, now: number, start: number): Span & { interval: Interval } {
  if (range === "24h") return { interval: "hour", from: String(now - 23 * HOUR) };
  if (range === "7d") return { interval: "hour", from: String(now - 167 * HOUR) };
  if (range === "30d") return { interval: "day", from: String(now - 29 * DAY) };
  return { interval: now - start > MAX_DAYS * DAY ? "week" : "day", from: String(Math.min(start, now)) };
}
