import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rangeOf } from "../../api/operations/time-series";
import { type Interval, intervalSeconds, startOf } from "../../common/rows/interval";

/** Unix seconds of a date in UTC. */
const at = (text: string) => BigInt(Date.parse(text) / 1000);

/** Times from 5 January 1970, the first Monday, to the year 9999. */
const times = fc.bigInt(345_600n, 253_402_300_799n);

describe("startOf", () => {
  it.each<[Interval, string, string]>([
    ["hour", "2026-11-15T23:59:59Z", "2026-11-15T23:00:00Z"],
    ["hour", "2026-11-16T00:00:00Z", "2026-11-16T00:00:00Z"],
    ["day", "2024-02-29T23:59:59Z", "2024-02-29T00:00:00Z"],
    ["day", "2024-03-01T00:00:00Z", "2024-03-01T00:00:00Z"],
    ["week", "2026-11-15T23:59:59Z", "2026-11-09T00:00:00Z"],
    ["week", "2026-11-16T00:00:00Z", "2026-11-16T00:00:00Z"],
    ["week", "2026-01-01T12:00:00Z", "2025-12-29T00:00:00Z"],
    ["week", "1970-01-01T00:00:00Z", "1969-12-29T00:00:00Z"],
    ["week", "1970-01-05T00:00:00Z", "1970-01-05T00:00:00Z"],
  ])("of the %s of %s is %s", (interval, time, start) => {
    expect(startOf(interval, at(time))).toBe(at(start));
  });

  it("agrees with the calendar", () => {
    fc.assert(
      fc.property(times, (time) => {
        const date = (start: bigint) => new Date(Number(start) * 1000).toISOString();
        expect(date(startOf("hour", time))).toBe(`${date(time).slice(0, 13)}:00:00.000Z`);
        expect(date(startOf("day", time))).toBe(`${date(time).slice(0, 10)}T00:00:00.000Z`);
        const week = startOf("week", time);
        expect(date(week)).toMatch(/T00:00:00\.000Z$/);
        expect(new Date(Number(week) * 1000).getUTCDay()).toBe(1);
        expect(time - week).toBeLessThan(intervalSeconds.week);
        expect(time >= week).toBe(true);
      }),
    );
  });
});

describe("the range of a time series", () => {
  it("begins with the interval that contains from and ends with the one that contains to", () => {
    const range = rangeOf({ interval: "day", from: at("2026-11-14T19:25:00Z"), to: at("2026-11-16T00:00:00Z") });
    expect(range).toEqual({ first: at("2026-11-14T00:00:00Z"), end: at("2026-11-17T00:00:00Z") });
  });

  it.each<[Interval, bigint]>([
    ["hour", 48n],
    ["day", 30n],
    ["week", 26n],
  ])("without from has a default number of %ss", (interval, points) => {
    const { first, end } = rangeOf({ interval, from: undefined, to: at("2026-11-16T00:00:00Z") });
    expect((end - first) / intervalSeconds[interval]).toBe(points);
  });

  it("without from does not begin before 1970, whatever to is", () => {
    expect(rangeOf({ interval: "day", from: undefined, to: 100_000n })).toEqual({ first: 0n, end: 172_800n });
    expect(rangeOf({ interval: "week", from: undefined, to: 0n })).toEqual({ first: -259_200n, end: 345_600n });
  });

  it("has at most 1,000 intervals", () => {
    const to = 1_000n * 3_600n;
    expect(rangeOf({ interval: "hour", from: 3_600n, to })).toEqual({ first: 3_600n, end: to + 3_600n });
    expect(() => rangeOf({ interval: "hour", from: 3_599n, to })).toThrow(
      "from, to: have 1001 intervals between them, and the limit is 1000. Choose a longer interval or a shorter time",
    );
  });

  it("does not end before it begins", () => {
    expect(() => rangeOf({ interval: "hour", from: 2n, to: 1n })).toThrow("from: must not be later than to");
  });
});
