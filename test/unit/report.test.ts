import { describe, expect, it } from "vitest";
import { percentile, slopeOf } from "../../bench/report";

describe("the report of a benchmark", () => {
  it("has the slope of the line through some points", () => {
    expect(
      slopeOf([
        [0, 5],
        [1, 7],
        [2, 9],
      ]),
    ).toBe(2);
    expect(
      slopeOf([
        [0, 1],
        [1, 3],
        [2, 1],
        [3, 3],
      ]),
    ).toBeCloseTo(0.4);
    expect(
      slopeOf([
        [10, 4],
        [20, 4],
      ]),
    ).toBe(0);
  });

  it("has percentiles", () => {
    expect([0.5, 0.99, 1].map((share) => percentile([4, 1, 3, 2], share))).toEqual([2, 4, 4]);
  });
});
