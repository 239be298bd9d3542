import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { matchPath } from "../../explorer/page";
import { growthOf, sumOfDecimals } from "../../explorer/text/decimals";
import { percentOf, safeUrl, shortHex } from "../../explorer/text/format";
import { relativeTime } from "../../explorer/text/relative-time";
import { percentOfBasisPoints, shortDollars, shortNumber } from "../../explorer/text/short-number";
import { spanOf } from "../../explorer/trends";

describe("numbers for people", () => {
  it("as a percentage are rounded, for counts of any size", () => {
    expect(percentOf("1", "3")).toBe("33.3 %");
    expect(percentOf("2", "3")).toBe("66.7 %");
    expect(percentOf(String(2n ** 255n), String(2n ** 256n))).toBe("50.0 %");
    expect(percentOf("0", "0")).toBeUndefined();
  });

  it("shorten addresses and hashes to their ends", () => {
    expect(shortHex("0x70997970c51812dc3a010c7d01b50e0d17dc79c8")).toBe("0x7099…79c8");
    expect(shortHex("0xa9059cbb")).toBe("0xa9059cbb");
  });
});

describe("a link from metadata", () => {
  it("is offered for http and https only", () => {
    expect(safeUrl("https://example.com/a")).toBe("https://example.com/a");
    for (const text of [
      "javascript:alert(1)",
      " JaVaScRiPt:alert(1)",
      "data:text/html,x",
      "ipfs://agent/1",
      "//host",
      "",
    ])
      expect(safeUrl(text)).toBeUndefined();
  });
});

describe("the pattern of a page", () => {
  it("matches paths with the same parts, and decodes the parameters", () => {
    expect(matchPath("/explore/agents/:id", "/explore/agents/7")).toEqual({ id: "7" });
    expect(matchPath("/explore/agents/:id", "/explore/agents/a%2Fb")).toEqual({ id: "a/b" });
    expect(matchPath("/", "/")).toEqual({});
  });

  it.each(["/explore/agents", "/explore/agents/", "/explore/agents/1/2", "/explore/intents/1", "/explore/agents/%"])(
    "does not match %s",
    (path) => {
      expect(matchPath("/explore/agents/:id", path)).toBeUndefined();
    },
  );
});

describe("a number for a glance", () => {
  it("has units from a million on, and is cut, not rounded up", () => {
    const cases = {
      "0": "0",
      "950": "950",
      "999999.999": "999,999.99",
      "1234567.89": "1.23\u00a0M",
      "950000000": "950\u00a0M",
      "1999999999": "1.99\u00a0B",
      "123456789012345": "123.45\u00a0T",
      "0.000012345678": "0.000012345",
      "-2500000": "-2.5\u00a0M",
    };
    for (const [decimal, text] of Object.entries(cases))
      expect([decimal, shortNumber(decimal)]).toEqual([decimal, text]);
    expect(shortNumber(`12${"0".repeat(40)}`)).toBe("1.20 × 10^41");
    expect(shortNumber(`0.${"0".repeat(17)}1`)).toBe("1.00 × 10^-18");
  });

  it("has cents as dollars, and more digits below a cent", () => {
    const cases = { "1234.5": "$1,234.50", "40": "$40", "0.000213": "$0.000213", "0.5": "$0.50", "-3.456": "-$3.45" };
    for (const [decimal, text] of Object.entries(cases))
      expect([decimal, shortDollars(decimal)]).toEqual([decimal, text]);
    expect(shortDollars("7654321")).toBe("$7.65\u00a0M");
    expect(shortDollars(`115${"0".repeat(75)}`)).toBe("$1.15 × 10^77");
  });

  it("never says more than there is", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 15n - 1n }), (value) => {
        const [digits = "", unit] = shortNumber(String(value)).split("\u00a0");
        const factor = { M: 1e6, B: 1e9, T: 1e12 }[unit ?? ""] ?? 1;
        const shown = Number(digits.replaceAll(",", "")) * factor;
        expect(shown).toBeLessThanOrEqual(Number(value) * (1 + 1e-12));
        expect(shown).toBeGreaterThanOrEqual(Number(value) * 0.99);
      }),
    );
  });
});

describe("a share in basis points", () => {
  it("is a percentage of any size, cut to hundredths", () => {
    const cases = { "210": "2.1 %", "5": "0.05 %", "-25": "-0.25 %", "156.789012": "1.56 %", "0": "0 %" };
    for (const [basisPoints, text] of Object.entries(cases))
      expect([basisPoints, percentOfBasisPoints(basisPoints)]).toEqual([basisPoints, text]);
    expect(percentOfBasisPoints(String(2n ** 256n))).toBe("1.15 × 10^75 %");
    expect(percentOfBasisPoints(growthOf(`${2n ** 256n}.5`, "0.000001") ?? "")).toBe("1.15 × 10^85 %");
  });
});

describe("decimals", () => {
  it("are added exactly, whatever their size and number of places", () => {
    expect(sumOfDecimals([])).toBe("0");
    expect(sumOfDecimals(["0.1", "0.2"])).toBe("0.3");
    expect(sumOfDecimals(["1", "2.50", "0.5"])).toBe("4");
    expect(sumOfDecimals([String(2n ** 200n), "0.000000000000000001"])).toBe(`${2n ** 200n}.000000000000000001`);
  });

  it("have a growth in percent, unless there was nothing before", () => {
    expect(growthOf("150", "100")).toBe("5000");
    expect(growthOf("1", "3")).toBe("-6660");
    expect(growthOf("100.04", "100")).toBe("0");
    expect(growthOf("1", "0")).toBeUndefined();
  });
});

describe("a time", () => {
  it("is said by its distance to now, up to 30 days", () => {
    const now = 100 * 86_400;
    for (const [distance, text] of [
      [0, "just now"],
      [59, "just now"],
      [60, "1 min ago"],
      [7_199, "1 h ago"],
      [86_400 * 30, "30 d ago"],
      [86_400 * 30 + 1, undefined],
      [-1, "in under 1 min"],
      [-7_200, "in 2 h"],
    ] as const)
      expect([distance, relativeTime(BigInt(now - distance), now)]).toEqual([distance, text]);
    expect(relativeTime(2n ** 255n, now)).toBeUndefined();
  });

  it("is now if it is that of an event on a chain whose clock is minutes ahead", () => {
    const now = 100 * 86_400;
    const eventIn = (seconds: number) => relativeTime(BigInt(now + seconds), now, { isEvent: true });
    expect([1, 59, 600, 1_200].map(eventIn)).toEqual(["just now", "just now", "just now", "in 20 min"]);
    expect(eventIn(-120)).toBe("2 min ago");
  });
});

describe("the range of a chart", () => {
  it("has hours for a week, days for a month, and weeks for years", () => {
    const now = 1_000 * 86_400;
    expect(spanOf("24h", now, 0)).toEqual({ interval: "hour", from: String(now - 23 * 3_600) });
    expect(spanOf("7d", now, 0)).toEqual({ interval: "hour", from: String(now - 167 * 3_600) });
    expect(spanOf("30d", now, 0)).toEqual({ interval: "day", from: String(now - 29 * 86_400) });
    expect(spanOf("all", now, now - 86_400)).toEqual({ interval: "day", from: String(now - 86_400) });
    expect(spanOf("all", now, 0)).toEqual({ interval: "week", from: "0" });
    expect(spanOf("all", now, Number.POSITIVE_INFINITY)).toEqual({ interval: "day", from: String(now) });
  });
});
