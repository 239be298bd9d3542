import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { average } from "../../api/core/average";
import { runs } from "../support/seed";

/** A decimal string as an exact fraction. */
const fractionOf = (text: string) => {
  const [whole = "", digits = ""] = text.split(".");
  return { numerator: BigInt(whole + digits), denominator: 10n ** BigInt(digits.length) };
};

/** A quotient by long division with six fraction digits, rounded half up. */
const byLongDivision = (sum: bigint, count: bigint) => {
  let rest = sum % count;
  let digits = "";
  for (let place = 0; place < 6; place++) {
    rest *= 10n;
    digits += String(rest / count);
    rest %= count;
  }
  const roundsUp = rest * 2n >= count;
  const millionths = BigInt(`${sum / count}${digits}`) + (roundsUp ? 1n : 0n);
  const text = String(millionths).padStart(7, "0");
  return `${text.slice(0, -6)}.${text.slice(-6)}`.replace(/\.?0+$/, "");
};

const sum = fc.oneof(fc.bigInt({ min: 0n, max: 10_000n }), fc.bigInt({ min: 0n, max: 2n ** 280n }));
const count = fc.oneof(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }));

describe("an average", () => {
  it.each([
    [7n, 2, "3.5"],
    [0n, 5, "0"],
    [0n, 0, "0"],
    [10n, 1, "10"],
    [100n, 1, "100"],
    [1n, 3, "0.333333"],
    [2n, 3, "0.666667"],
    [1n, 2_000_000, "0.000001"],
    [1n, 2_000_001, "0"],
    [1_999_999n, 2_000_000, "1"],
    [2n ** 256n - 1n, 1, String(2n ** 256n - 1n)],
  ])("of %s over %s is %s", (sum, count, text) => {
    expect(average(sum, count)).toBe(text);
  });

  it("equals the result of long division, rounded half up", () => {
    fc.assert(
      fc.property(sum, count, (sum, count) => {
        expect(average(sum, count)).toBe(byLongDivision(sum, BigInt(count)));
      }),
      { numRuns: runs(300) },
    );
  });

  it("is within half a millionth of the exact quotient", () => {
    fc.assert(
      fc.property(sum, count, (sum, count) => {
        const { numerator, denominator } = fractionOf(average(sum, count));
        const difference = numerator * BigInt(count) - sum * denominator;
        const distance = difference < 0n ? -difference : difference;
        expect(distance * 2_000_000n <= BigInt(count) * denominator).toBe(true);
      }),
      { numRuns: runs(300) },
    );
  });

  it("is a plain decimal of at most six fraction digits without trailing zeros", () => {
    fc.assert(
      fc.property(sum, count, (sum, count) => {
        expect(average(sum, count)).toMatch(/^(0|[1-9]\d*)(\.\d{0,5}[1-9])?$/);
      }),
      { numRuns: runs(300) },
    );
  });
});
