import fc from "fast-check";
import type { Address } from "viem";
import { describe, expect, it } from "vitest";
import { priceOf, surplusBps } from "../../api/operations/trade-values";
import { runs } from "../support/seed";

const MOST = 2n ** 256n - 1n;
const [dollar, coin, unlisted] = (["a1", "b2", "c3"] as const).map((byte): Address => `0x${byte.repeat(20)}`);

const token = (address: Address, decimals: number) => ({
  ...{ address, symbol: "T", name: "Token", decimals, logo: null, stablecoin: false, feeds: [] },
});

const listedWith = (one: number, other: number) => ({
  listed: new Map(
    [dollar, coin].flatMap((address, at) => (address ? [[address, token(address, at ? other : one)]] : [])),
  ),
});

const amount = fc.bigInt({ min: 0n, max: MOST });
const decimals = fc.integer({ min: 0, max: 255 });

describe("the price of a trade", () => {
  const trade = { inputToken: dollar as Address, outputToken: coin as Address };

  it.each([
    [1_000_000n, 2_000_000_000_000_000_000n, "2"],
    [3_000_000n, 1_000_000_000_000_000_000n, "0.333333333333333333"],
    [3_000_000n, 2_000_000_000_000_000_000n, "0.666666666666666667"],
    [1_000_000n, 0n, "0"],
    [MOST, 1n, "0"],
    [0n, 1n, null],
    [0n, 0n, null],
  ])("of %s in for %s out is %s, of tokens with 6 and 18 decimals", (amountIn, amountOut, price) => {
    expect(priceOf({ ...trade, amountIn, amountOut }, listedWith(6, 18))).toBe(price);
  });

  it("is null unless both tokens are listed", () => {
    const amounts = { amountIn: 1n, amountOut: 1n };
    const other = unlisted as Address;
    expect(priceOf({ ...trade, inputToken: other, ...amounts }, listedWith(6, 18))).toBeNull();
    expect(priceOf({ ...trade, outputToken: other, ...amounts }, listedWith(6, 18))).toBeNull();
  });

  it("is the nearest number with 18 decimals, for any amounts and decimals", () => {
    fc.assert(
      fc.property(amount, amount, decimals, decimals, (amountIn, amountOut, one, other) => {
        const price = priceOf({ ...trade, amountIn, amountOut }, listedWith(one, other));
        if (amountIn === 0n) {
          expect(price).toBeNull();
          return;
        }
        expect(price).toMatch(/^\d+(\.\d{0,17}[1-9])?$/);
        const [whole = "", fraction = ""] = String(price).split(".");
        const units = BigInt(whole + fraction.padEnd(18, "0"));
        const [over, under] = [amountOut * 10n ** BigInt(one + 18), amountIn * 10n ** BigInt(other)];
        const twiceError = 2n * (units * under - over);
        expect(twiceError <= under && twiceError > -under).toBe(true);
      }),
      { numRuns: runs(300) },
    );
  });
});

describe("the surplus in basis points", () => {
  it.each([
    [1_055n, 1_000n, "550"],
    [1_000n, 1_000n, "0"],
    [3n, 2n, "5000"],
    [4n, 3n, "3333"],
    [2n, 3n, "-3334"],
    [0n, 3n, "-10000"],
    [MOST, 1n, String((MOST - 1n) * 10_000n)],
    [5n, 0n, null],
  ])("of %s over a minimum of %s is %s", (amountOut, minimum, expected) => {
    expect(surplusBps(amountOut, minimum)).toBe(expected);
  });
});
