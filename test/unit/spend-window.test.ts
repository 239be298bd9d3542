import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { afterSpend, isOver, type SpendWindow } from "../../common/rows/spend-window";

const DAY = 86_400n;

/** The contract's `recordSpend`, step by step, as protocol.md describes it. */
function contractRecordSpend(window: SpendWindow, now: bigint, amount: bigint): SpendWindow {
  let { spentToday, lastReset } = window;
  if (now - lastReset >= DAY) {
    spentToday = 0n;
    lastReset = now;
  }
  return { spentToday: spentToday + amount, lastReset };
}

describe("the spend window", () => {
  it("ends exactly one day after its start", () => {
    expect(isOver({ lastReset: 1_000n }, 1_000n + DAY - 1n)).toBe(false);
    expect(isOver({ lastReset: 1_000n }, 1_000n + DAY)).toBe(true);
  });

  it("matches the contract for any sequence of spends, using only the totals in its events", () => {
    const spends = fc.array(fc.record({ wait: fc.bigInt(0n, 2n * DAY), amount: fc.bigInt(0n, 2n ** 255n) }));
    fc.assert(
      fc.property(spends, (sequence) => {
        let now = 1_700_000_000n;
        let onChain: SpendWindow = { spentToday: 0n, lastReset: 0n };
        let indexed = onChain;
        for (const { wait, amount } of sequence) {
          now += wait;
          onChain = contractRecordSpend(onChain, now, amount);
          indexed = afterSpend(indexed, now, onChain.spentToday);
          expect(indexed).toEqual(onChain);
        }
      }),
    );
  });
});
