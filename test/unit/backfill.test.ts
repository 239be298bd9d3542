import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { measureRate, progressOf } from "../../api/monitor/backfill";

describe("the progress of a backfill", () => {
  it.each([
    [100n, null, 200n, 0],
    [100n, 100n, 200n, 0],
    [100n, 150n, 200n, 0.5],
    [100n, 199n, 200n, 0.99],
    [100n, 200n, 200n, 1],
    [100n, 205n, 200n, 1],
    [0n, 0n, 0n, 1],
    // The chain's head is below the start block.
    [100n, 50n, 50n, 1],
  ])("from block %s, at %s of %s, is %s", (start, block, head, progress) => {
    expect(progressOf(start, block, head)).toBe(progress);
  });

  it("is between 0 and 1 and never decreases", () => {
    const block = fc.bigInt({ min: 0n, max: 10n ** 12n });
    fc.assert(
      fc.property(block, block, block, block, (start, head, one, other) => {
        const [earlier, later] = one < other ? [one, other] : [other, one];
        const [before, after] = [progressOf(start, earlier, head), progressOf(start, later, head)];
        expect(before).toBeGreaterThanOrEqual(0);
        expect(after).toBeLessThanOrEqual(1);
        if (head > start) expect(after).toBeGreaterThanOrEqual(before);
      }),
    );
  });
});

describe("the rate of a backfill", () => {
  it("is unknown for the first two seconds", () => {
    const rate = measureRate();
    expect(rate.secondsUntil(100n)).toBeNull();
    rate.observe(0, 0n);
    rate.observe(1_999, 50n);
    expect(rate.secondsUntil(100n)).toBeNull();
    rate.observe(2_000, 50n);
    expect(rate.secondsUntil(100n)).toBe(2);
  });

  it("is that of the last minute", () => {
    const rate = measureRate();
    for (let second = 0; second <= 300; second++) rate.observe(second * 1000, BigInt(Math.min(second, 200)) * 10n);
    // 10 blocks a second up to second 200, none in the last minute.
    expect(rate.secondsUntil(4_000n)).toBeNull();
    for (let second = 301; second <= 360; second++) rate.observe(second * 1000, 2_000n + BigInt(second - 300) * 5n);
    expect(rate.secondsUntil(2_600n)).toBe(60);
  });

  it("starts again when the index is rebuilt", () => {
    const rate = measureRate();
    rate.observe(0, 1_000n);
    rate.observe(10_000, 2_000n);
    rate.observe(11_000, 10n);
    expect(rate.secondsUntil(2_000n)).toBeNull();
    rate.observe(21_000, 110n);
    expect(rate.secondsUntil(210n)).toBe(10);
  });

  it("estimates 0 s for an indexed block", () => {
    const rate = measureRate();
    rate.observe(0, 7n);
    expect(rate.secondsUntil(7n)).toBe(0);
  });
});
