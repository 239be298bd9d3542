import { beforeAll, describe, expect, it } from "vitest";
import { activityMetrics } from "../../ponder.schema";
import { activityRows } from "../support/agreement/activity";
import { readChain } from "../support/agreement/chain";
import { eventLogRows } from "../support/agreement/event-log";
import { intentRows } from "../support/agreement/intents";
import type { Row } from "../support/index-of";
import { addressOf, ask, type Parameters } from "../support/lists/asking";
import { type SampleStack, sampleStack } from "../support/shared-stack";

type TimeSeries = {
  metric: string;
  interval: string;
  token: string | null;
  from: string;
  to: string;
  total: string;
  points: { start: string; value: string }[];
};

const seconds = { hour: 3_600, day: 86_400, week: 604_800 } as const;

const WEEKS = 3;

/** The start of the week of a time, by the calendar. */
function mondayOf(time: number): number {
  const date = new Date(time * 1000);
  const daysSinceMonday = (date.getUTCDay() + 6) % 7;
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() - daysSinceMonday) / 1000;
}

describe("GET /analytics/timeseries, on the sample chain", () => {
  let stack: SampleStack;
  /** What happened by hour, from the logs of the chain. */
  let hours: Row<"activity">[];
  /** When each agent paid, from the same logs. */
  let payments: { agent: string; time: number }[];
  let from: number;
  let to: number;

  beforeAll(async () => {
    stack = await sampleStack();
    const chain = await readChain(stack);
    const { eventLog } = await eventLogRows(chain);
    const { activity } = activityRows(eventLog, (await intentRows(chain)).intent);
    payments = eventLog
      .filter(({ name }) => name === "ReceiptRecorded")
      .map(({ args, blockTimestamp }) => ({ agent: JSON.parse(args).agent, time: Number(blockTimestamp) }));
    hours = activity.filter(({ interval }) => interval === "hour");
    const { timestamp } = await stack.client.getBlock();
    to = mondayOf(Number(timestamp)) + seconds.week;
    from = to - WEEKS * seconds.week;
  });

  const get = (parameters: Parameters) => ask<TimeSeries>(stack.apiUrl, addressOf("/analytics/timeseries", parameters));
  const failure = async (query: string) => {
    const response = await fetch(`${stack.apiUrl}/analytics/timeseries?${query}`);
    return [response.status, ((await response.json()) as { error: string }).error];
  };
  const tokensOf = (metric: string) => [
    ...new Set(hours.filter((row) => row.metric === metric).map((row) => row.token)),
  ];

  describe.each(activityMetrics)("%s", (metric) => {
    it.each(["hour", "day", "week"] as const)("by %s equals the logs of the chain", async (interval) => {
      const tokens = tokensOf(metric);
      expect(tokens.length).toBeGreaterThan(0);
      for (const token of tokens) {
        const series = await get({
          metric,
          interval,
          from: String(from),
          to: String(to - 1),
          ...(token !== "" && { token }),
        });
        const own = hours.filter((row) => row.metric === metric && row.token === token);
        const sumOf = (rows: readonly Row<"activity">[]) =>
          String(rows.reduce((total, { value }) => total + BigInt(value), 0n));
        const points = [];
        for (let start = from; start < to; start += seconds[interval])
          points.push({
            start: String(start),
            value: sumOf(
              own.filter((row) => Number(row.start) >= start && Number(row.start) < start + seconds[interval]),
            ),
          });
        expect(series).toEqual({
          metric,
          interval,
          token: token === "" ? null : token,
          unit: "raw",
          participant: null,
          from: String(from),
          to: String(to),
          total: sumOf(own),
          points,
        });
        expect(BigInt(series.total)).toBeGreaterThan(0n);
      }
    });
  });

  it.each(["hour", "day", "week"] as const)("active_agents by %s counts each agent once", async (interval) => {
    const agentsIn = (start: number, end: number) =>
      String(new Set(payments.filter(({ time }) => time >= start && time < end).map(({ agent }) => agent)).size);
    const active = await get({ metric: "active_agents", interval, from: String(from), to: String(to - 1) });
    const points = [];
    for (let start = from; start < to; start += seconds[interval])
      points.push({ start: String(start), value: agentsIn(start, start + seconds[interval]) });
    expect(active.points).toEqual(points);
    expect(active.total).toBe(agentsIn(from, to));
    expect(Number(active.total)).toBeGreaterThan(0);
  });

  it("ends with the present by default", async () => {
    const { points, to: end } = await get({ metric: "intents", interval: "day" });
    expect(points).toHaveLength(30);
    const now = Math.floor(Date.now() / 1000);
    expect(Number(end)).toBeGreaterThan(now - 60);
    expect(Number(end)).toBeLessThanOrEqual(now + 2 * seconds.day);
    expect(points.reduce((total, { value }) => total + Number(value), 0)).toBeGreaterThan(0);
  });

  it("is zero for a token without volume, and in the future", async () => {
    const nothing = await get({ metric: "fill_volume", interval: "week", token: `0x${"de".repeat(20)}` });
    expect(nothing.total).toBe("0");
    expect(nothing.points).toHaveLength(26);
    const later = await get({ metric: "bids", interval: "week", from: "999999999999", to: "999999999999" });
    expect(later.points.map(({ value }) => value)).toEqual(["0"]);
  });

  it("has no negative times", async () => {
    const { from: first, points } = await get({ metric: "bids", interval: "week", from: "0", to: "345600" });
    expect(first).toBe("0");
    expect(points.map(({ start }) => start)).toEqual(["0", "345600"]);
  });

  it.each([
    ["", "metric: is required; interval: is required"],
    ["metric=bids&interval=year", "interval: must be one of hour, day, week"],
    ["metric=blocks&interval=day", `metric: must be one of ${[...activityMetrics, "active_agents"].join(", ")}`],
    ["metric=bids&interval=day&from=-1", "from: must be unix seconds: 1 to 12 decimal digits"],
    ["metric=bids&interval=day&to=2026-11-16", "to: must be unix seconds: 1 to 12 decimal digits"],
    [`metric=bids&interval=day&to=${2n ** 256n}`, "to: must be unix seconds: 1 to 12 decimal digits"],
    ["metric=bids&interval=day&from=2&to=1", "from: must not be later than to"],
    [
      "metric=bids&interval=hour&from=0&to=999999999999",
      "from, to: have 277777778 intervals between them, and the limit is 1000. Choose a longer interval or a shorter time",
    ],
    [
      "metric=active_agents&interval=day&from=0&to=2678400",
      "from, to: have more than 31 days between them, which is the limit for active_agents",
    ],
    [
      "metric=active_agents&interval=day&merchant_id=1",
      "merchant_id: can't be combined with active_agents. Only receipts and receipt_volume are by merchant_id",
    ],
    [
      "metric=fill_volume&interval=day",
      "token: is required for fill_volume, because amounts of different tokens can't be added. With unit=usd it isn't",
    ],
    [
      `metric=fills&interval=day&token=0x${"de".repeat(20)}`,
      "token: can't be combined with fills. Only fill_volume and receipt_volume are by token",
    ],
    [
      "metric=fills&interval=day&unit=usd",
      "unit: can't be usd for fills. Only fill_volume and receipt_volume have dollars",
    ],
    [
      `metric=fill_volume&interval=day&unit=usd&token=0x${"de".repeat(20)}`,
      "token: is not on the token list of this chain, so it has no dollars. Use unit=raw",
    ],
    [
      "metric=receipts&interval=day&merchant_id=1&service_id=1",
      "service_id: can't be combined with merchant_id. A series is of one participant",
    ],
    [
      "metric=fills&interval=day&merchant_id=1",
      "merchant_id: can't be combined with fills. Only receipts and receipt_volume are by merchant_id",
    ],
    [
      `metric=receipts&interval=day&solver=0x${"de".repeat(20)}`,
      "solver: can't be combined with receipts. Only bids, fills and fill_volume are by solver",
    ],
    ["metric=fills&interval=day&unit=eur", "unit: must be one of raw, usd"],
  ])("rejects %j with 400", async (query, error) => {
    expect(await failure(query)).toEqual([400, error]);
  });
});
