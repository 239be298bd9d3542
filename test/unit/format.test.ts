import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_DECIMALS } from "../../api/tokens/token";
import { parseAmount } from "../../client/src/parse-amount";
import { formatAmount, formatDay, formatTime, groupDigits } from "../../common/format";

describe("groupDigits", () => {
  it("adds separators, and loses no digit", () => {
    const uint256 = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
    fc.assert(fc.property(uint256, (value) => groupDigits(String(value)).replaceAll(",", "") === String(value)));
    expect(["0", "999", "1000", "1234567"].map(groupDigits)).toEqual(["0", "999", "1,000", "1,234,567"]);
  });
});

describe("formatAmount", () => {
  it.each<[bigint, number, string]>([
    [950_000_000n, 6, "950.00"],
    [0n, 6, "0.00"],
    [0n, 0, "0.00"],
    [1n, 6, "0.000001"],
    [1_500_000n, 6, "1.50"],
    [1_234_567n, 6, "1.234567"],
    [7n, 0, "7.00"],
    [1_000n, 0, "1,000.00"],
    [999_999_999_999n, 6, "999,999.999999"],
    [10n ** 30n, 18, "1,000,000,000,000.00"],
    [1n, MAX_DECIMALS, `0.${"0".repeat(MAX_DECIMALS - 1)}1`],
  ])("writes %s with %s decimals as %s", (amount, decimals, text) => {
    expect(formatAmount(amount, decimals)).toBe(text);
  });

  it("loses no digit of any amount", () => {
    const amounts = fc.bigInt(0n, 2n ** 256n - 1n);
    fc.assert(
      fc.property(amounts, fc.integer({ min: 0, max: MAX_DECIMALS }), (amount, decimals) => {
        const text = formatAmount(amount, decimals);
        expect(text).toMatch(/^\d{1,3}(,\d{3})*\.\d{2,}$/);
        const [whole = "", fraction = ""] = text.replaceAll(",", "").split(".");
        const scale = Math.max(decimals, fraction.length);
        expect(BigInt(whole + fraction.padEnd(scale, "0"))).toBe(amount * 10n ** BigInt(scale - decimals));
      }),
    );
  });
});

describe("formatAmount and parseAmount with a token", () => {
  const tUSD = { decimals: 6, symbol: "tUSD" };

  it.each<[bigint | string, Parameters<typeof formatAmount>[1], string]>([
    [950_000_000n, tUSD, "950.00 tUSD"],
    ["950000000", tUSD, "950.00 tUSD"],
    [-1_500_000n, 6, "-1.50"],
    [1_000n, { decimals: 0, symbol: "PTS" }, "1,000.00 PTS"],
    [1_000n, { decimals: null, symbol: null }, "1,000"],
    [1_000n, { decimals: null, symbol: "X" }, "1,000 units of X"],
  ])("writes %s of %j as %s", (value, token, text) => {
    expect(formatAmount(value, token)).toBe(text);
  });

  it.each<[string, Parameters<typeof parseAmount>[1], bigint]>([
    ["950", 6, 950_000_000n],
    ["950.00 tUSD", tUSD, 950_000_000n],
    [" 1,234.5 ", tUSD, 1_234_500_000n],
    ["1234.5tUSD", tUSD, 1_234_500_000n],
    ["0.000001000", 6, 1n],
    ["7.00", 0, 7n],
  ])("reads %s of %j as %s", (text, token, value) => {
    expect(parseAmount(text, token)).toBe(value);
  });

  it.each<[string, Parameters<typeof parseAmount>[1], string]>([
    ["", 6, '"" is not an amount such as 1,234.50'],
    ["1e3", 6, '"1e3" is not an amount such as 1,234.50'],
    ["-1", 6, '"-1" is not an amount such as 1,234.50'],
    ["1,23", 6, '"1,23" is not an amount such as 1,234.50'],
    ["1 USDC", tUSD, '"1 USDC" is not an amount such as 1,234.50 tUSD'],
    ["0.0000001", 6, '"0.0000001" has more than the token\'s 6 decimals'],
    ["1", { decimals: null }, '"1" can\'t be an amount: the decimals of the token are unknown'],
  ])("rejects %j of %j", (text, token, message) => {
    expect(() => parseAmount(text, token)).toThrow(expect.objectContaining({ code: "invalid_amount", message }));
  });

  it("are inverse for any amount and token", () => {
    const token = fc.record({
      decimals: fc.integer({ min: 0, max: MAX_DECIMALS }),
      symbol: fc.option(fc.stringMatching(/^[A-Za-z0-9$.]{1,12}$/)),
    });
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 256n - 1n), token, (amount, of) => {
        expect(parseAmount(formatAmount(amount, of), of)).toBe(amount);
        expect(parseAmount(formatAmount(amount, of.decimals).replaceAll(",", ""), of)).toBe(amount);
      }),
    );
  });
});

describe("formatTime", () => {
  it.each<[bigint, string]>([
    [1_794_684_300n, "14 Nov 2026 19:25 UTC"],
    [1_794_684_359n, "14 Nov 2026 19:25 UTC"],
    [0n, "1 Jan 1970 00:00 UTC"],
    [253_402_300_799n, "31 Dec 9999 23:59 UTC"],
    [253_402_300_800n, "253402300800"],
    [2n ** 256n - 1n, String(2n ** 256n - 1n)],
  ])("writes %s as %s", (time, text) => {
    expect(formatTime(time)).toBe(text);
  });
});

describe("formatDay", () => {
  it.each<[bigint, string]>([
    [1_794_684_300n, "14 Nov 2026"],
    [0n, "1 Jan 1970"],
    [86_399n, "1 Jan 1970"],
    [86_400n, "2 Jan 1970"],
    [253_402_300_799n, "31 Dec 9999"],
    [253_402_300_800n, "253402300800"],
    [2n ** 256n - 1n, String(2n ** 256n - 1n)],
  ])("writes %s as %s", (time, text) => {
    expect(formatDay(time)).toBe(text);
  });
});
