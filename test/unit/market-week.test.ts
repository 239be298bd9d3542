import { describe, expect, it } from "vitest";
import { MARKET_WEEK_SECONDS, sessionsBefore } from "../../stack/local/market-week/calendar";
import { randomFrom } from "../../stack/local/market-week/random";
import { pricesAt } from "../../stack/local/market-week/tokens";

const PRESENT = 1_800_000_000n;
const sessions = () => sessionsBefore(PRESENT, randomFrom(1));

describe("the plan of the market week", () => {
  it("is the same in every run", () => {
    expect(sessions()).toEqual(sessions());
    const [one, other] = [randomFrom(7), randomFrom(7)];
    const items = ["a", "b", "c"];
    for (let count = 0; count < 100; count++) expect(one.pick(items)).toBe(other.pick(items));
  });

  it("has sessions one after another, within the week, the last one minutes ago", () => {
    const times = sessions().flatMap(({ opensAt, closesAt }) => [opensAt, closesAt]);
    expect(times).toEqual([...new Set(times)].sort((one, other) => Number(one - other)));
    expect(times[0]).toBeGreaterThan(PRESENT - BigInt(MARKET_WEEK_SECONDS));
    expect(PRESENT - (times.at(-1) ?? 0n)).toBeLessThan(600n);
  });

  it("has more trades and sales every day", () => {
    const perDay = (count: "trades" | "sales") =>
      sessions().reduce<number[]>((days, session) => {
        days[session.day] = (days[session.day] ?? 0) + session[count];
        return days;
      }, []);
    for (const days of [perDay("trades"), perDay("sales")]) {
      expect(days).toHaveLength(7);
      expect(days).toEqual([...days].sort((one, other) => one - other));
    }
  });

  it("has prices between those of two days, and never picks an item without weight", () => {
    const { tBTC, tUSD } = pricesAt(PRESENT, PRESENT);
    expect({ tBTC, tUSD }).toEqual({ tBTC: 101_850, tUSD: 1 });
    const noon = PRESENT - BigInt(MARKET_WEEK_SECONDS) + 43_200n;
    expect(pricesAt(noon, PRESENT).tWETH).toBe((3000 + 2946) / 2);
    const random = randomFrom(3);
    for (let count = 0; count < 100; count++) expect(random.pick([0, 1], (weight) => weight)).toBe(1);
  });
});
