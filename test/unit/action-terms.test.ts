import fc from "fast-check";
import { toFunctionSelector } from "viem";
import { describe, expect, it } from "vitest";
import {
  amountTerm,
  basisPoints,
  chainString,
  functionTerm,
  subjectTerm,
  timeTerm,
  tokenTerm,
} from "../../api/actions/terms";
import { readAmount, splitAmount } from "../../common/amount";
import { readDuration } from "../../common/duration";
import { formatAmount } from "../../common/format";

const alice = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";

describe("the terms of actions", () => {
  it.each([
    ["955 tUSD", { number: "955", symbol: "tUSD" }],
    ["955tUSD", { number: "955", symbol: "tUSD" }],
    ["1,000.5 tUSD", { number: "1,000.5", symbol: "tUSD" }],
    ["1000000", { raw: 1_000_000n }],
    [1_000_000, { raw: 1_000_000n }],
    [2n ** 256n - 1n, { raw: 2n ** 256n - 1n }],
  ])("read the amount %s", (sent, expected) => {
    expect(amountTerm.parse(sent)).toEqual(expected);
  });

  it.each([
    "1.5",
    "1,000",
    "-1 tUSD",
    "tUSD",
    "",
    "1e6 ",
    "1,00 tUSD",
    "1.5.5 tUSD",
    1.5,
    2n ** 256n,
    null,
    {},
    "1".repeat(200),
  ])("reject the amount %s", (sent) => {
    const parsed = amountTerm.safeParse(sent);
    // An exponent would be a symbol, which no token has.
    if (sent === "1e6 ") expect(parsed.data).toEqual({ number: "1", symbol: "e6" });
    else expect(parsed.error?.issues[0]?.message).toContain("1,000.5 tUSD");
  });

  it("read every amount that they write", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), fc.integer({ min: 0, max: 77 }), (amount, decimals) => {
        const parts = splitAmount(formatAmount(amount, { decimals, symbol: "tUSD" }));
        expect(parts?.symbol).toBe("tUSD");
        const number = decimals === 0 ? parts?.number.replace(".00", "") : parts?.number;
        expect(readAmount(number ?? "", Math.max(decimals, 2))).toEqual({
          amount: decimals < 2 ? amount * 10n ** BigInt(2 - decimals) : amount,
        });
      }),
    );
  });

  it.each([
    ["90s", 90n],
    ["30m", 1_800n],
    ["2 hours", 7_200n],
    ["1 day", 86_400n],
    ["2W", 1_209_600n],
  ])("read the duration %s", (text, seconds) => {
    expect(readDuration(text)).toBe(seconds);
    expect(timeTerm.parse(text)).toEqual({ after: seconds });
  });

  it("read times in unix seconds, and reject others with a sentence", () => {
    expect(timeTerm.parse("1767225600")).toEqual({ at: 1_767_225_600n });
    for (const sent of ["tomorrow", "1.5h", "-5m", "30 months", "", 1.5])
      expect(timeTerm.safeParse(sent).error?.issues[0]?.message).toMatch(/30m/);
  });

  it("read tokens by address or symbol", () => {
    expect(tokenTerm.parse(alice.toUpperCase().replace("0X", "0x"))).toEqual({ address: alice });
    expect(tokenTerm.parse("tUSD")).toEqual({ symbol: "tUSD" });
    for (const sent of ["0x12", "", "x".repeat(41), 7]) expect(tokenTerm.safeParse(sent).success).toBe(false);
  });

  it("read functions by selector or signature", () => {
    const signature = "execute(address,(uint256,bytes)[],bool)";
    expect(functionTerm.parse(signature)).toBe(toFunctionSelector(signature));
    expect(functionTerm.parse("0xA9059CBB")).toBe("0xa9059cbb");
    // The selector of a short name of a type is that of another function.
    for (const sent of ["transfer", "transfer(address,uint)", "f(byte)", "f( address)", "0xa9059c", 1])
      expect(functionTerm.safeParse(sent).success, String(sent)).toBe(false);
    expect(functionTerm.safeParse("f(uint8,bytes4)").success).toBe(true);
  });

  it("pad an address to a subject", () => {
    expect(subjectTerm.parse(alice)).toBe(`0x${"0".repeat(24)}${alice.slice(2)}`);
    expect(subjectTerm.parse(`0x${"AB".repeat(32)}`)).toBe(`0x${"ab".repeat(32)}`);
    expect(subjectTerm.safeParse("0x12").success).toBe(false);
  });

  it("limit texts that are written on chain, and basis points", () => {
    expect(chainString.safeParse("x".repeat(2_048)).success).toBe(true);
    for (const sent of ["x".repeat(2_049), "a\0", "\ud800", 1]) expect(chainString.safeParse(sent).success).toBe(false);
    expect(basisPoints.parse("50")).toBe(50);
    expect(basisPoints.parse(10_000)).toBe(10_000);
    expect(basisPoints.safeParse(10_001).error?.issues[0]?.message).toBe(
      "must be a whole number of basis points from 0 to 10000, which is 100 %",
    );
  });
});
