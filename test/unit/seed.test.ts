import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEFAULT_SEED, positiveInteger, runs, seed } from "../support/seed";

describe("the seed of property tests", () => {
  it.skipIf(process.env.TEST_SEED)("is the default when TEST_SEED is unset", () => {
    expect(seed).toBe(DEFAULT_SEED);
  });

  it("is configured for every property, with its number of runs", () => {
    expect(fc.readConfigureGlobal()).toMatchObject({ seed, numRuns: runs(100) });
  });

  it("makes a property generate the same values every time", () => {
    const generated = () => {
      const values: number[] = [];
      fc.assert(fc.property(fc.integer(), (value) => void values.push(value)));
      return values;
    };
    expect(generated()).toEqual(generated());
    expect(generated()).toHaveLength(runs(100));
  });

  it("is the default for an unset or empty variable, and otherwise the number", () => {
    expect(positiveInteger("TEST_SEED", undefined, 1)).toBe(1);
    expect(positiveInteger("TEST_SEED", "", 1)).toBe(1);
    expect(positiveInteger("TEST_SEED", "1767225600", 1)).toBe(1_767_225_600);
  });

  it.each(["0", "-1", "1.5", "1e3", "0x10", "abc", " ", "2147483648"])("is not %j", (text) => {
    expect(() => positiveInteger("TEST_SEED", text, 1)).toThrow(
      `TEST_SEED is ${JSON.stringify(text)}: set it to a whole number from 1 to 2147483647, or unset it`,
    );
  });
});
