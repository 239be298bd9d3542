import { formatAmount, formatTime, groupDigits } from "../../common/format";
import { escapeInvisible } from "../../common/text";
import type { TimeSeries } from "../src/api";
import { parseAmount } from "../src/parse-amount";
import { amountText, isRow, type Tokens } from "./cell";

const HEIGHT = 6;

/** Dollars have at most six decimals. */
const DOLLAR_DECIMALS = 6;
const LEVELS = " ▁▂▃▄▅▆▇█";

export const isTimeSeries = (value: unknown): value is TimeSeries =>
  isRow(value) && typeof value.metric === "string" && Array.isArray(value.points) && typeof value.total === "string";

/** The points, with neighbours added up until there are at most `count`. */
function summed(points: readonly bigint[], count: number): bigint[] {
  const size = Math.ceil(points.length / count);
  return Array.from({ length: Math.ceil(points.length / size) }, (_, index) =>
    points.slice(index * size, (index + 1) * size).reduce((sum, one) => sum + one, 0n),
  );
}

/** One line of the chart: the part of each bar between two heights, in eighths of a line. */
const lineOf = (bars: readonly bigint[], highest: bigint, line: number): string =>
  bars
    .map((bar) => {
      const eighths = highest === 0n ? 0 : Number((bar * BigInt(HEIGHT * 8) + highest - 1n) / highest);
      return LEVELS[Math.max(0, Math.min(8, eighths - line * 8))] ?? " ";
    })
    .join("");

/**
 * A time series as a small bar chart with its highest value, its first and last time, and the total. With more points than
 * columns, a bar is the sum of several.
 */
export function chartText(
  { metric, interval, unit, token, points, total }: TimeSeries,
  tokens: Tokens,
  width: number,
): string {
  const isDollars = unit === "usd";
  const number = (value: bigint) => {
    if (isDollars) return `$${formatAmount(value, DOLLAR_DECIMALS)}`;
    return token === null ? groupDigits(String(value)) : amountText(String(value), token, tokens);
  };
  const digitsOf = (text: string) => (isDollars ? parseAmount(text, DOLLAR_DECIMALS) : BigInt(text));
  const bars = summed(
    points.map(({ value }) => digitsOf(value)),
    Math.max(10, width - 30),
  );
  const highest = bars.reduce((most, one) => (one > most ? one : most), 0n);
  const label = number(highest);
  const lines = Array.from({ length: HEIGHT }, (_, index) => {
    const line = HEIGHT - 1 - index;
    const scale = line === HEIGHT - 1 ? label : line === 0 ? "0" : "";
    return `${scale.padStart(label.length)} │${lineOf(bars, highest, line)}`;
  });
  const dayOf = (point: { start: string } | undefined) => (point ? formatTime(BigInt(point.start)) : "");
  return escapeInvisible(`${metric} by ${interval}: ${number(digitsOf(total))}`)
    .split("\n")
    .concat("", lines, `${" ".repeat(label.length)} └${"─".repeat(bars.length)}`)
    .concat(`${" ".repeat(label.length + 2)}${dayOf(points[0])} to ${dayOf(points.at(-1))}`)
    .join("\n");
}
