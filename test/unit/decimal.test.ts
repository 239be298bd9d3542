import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseDecimal, plainText } from "../../api/portfolio/decimal";
import { runs } from "../support/seed";

describe("a decimal", () => {
  it.each([
    ["0", { digits: 0n, scale: 0 }],
    ["12", { digits: 12n, scale: 0 }],
    ["0.10", { digits: 10n, scale: 2 }],
    ["3000.12345678", { digits: 300_012_345_678n, scale: 8 }],
    ["007", { digits: 7n, scale: 0 }],
  ])("parses %s", (text, decimal) => {
    expect(parseDecimal(text)).toEqual(decimal);
  });

  it.each([
    "",
    ".",
    "1.",
    ".5",
    "-1",
    "+1",
    "1e5",
    "1E-7",
    "0x10",
    "1,5",
    " 1",
    "1\n",
    "NaN",
    "Infinity",
    "٣",
    "1".repeat(101),
  ])("does not parse %j", (text) => {
    expect(parseDecimal(text)).toBeUndefined();
  });

  it("is formatted without exponent and trailing zeros, and parses to the same number", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 40n }), fc.integer({ min: 0, max: 50 }), (digits, scale) => {
        const text = plainText({ digits, scale });
        expect(text).toMatch(/^(0|[1-9]\d*)(\.\d*[1-9])?$/);
        const again = parseDecimal(text);
        expect(again).toBeDefined();
        if (again) expect(again.digits * 10n ** BigInt(scale)).toBe(digits * 10n ** BigInt(again.scale));
      }),
      { numRuns: runs(300) },
    );
  });
});
