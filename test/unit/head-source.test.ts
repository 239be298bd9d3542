import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { pollHead } from "../../api/monitor/head-source";

describe("polling for the newest block", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const block = (number: bigint) => ({ number, hash: "0x01" as const, timestamp: 7n });

  it("keeps the newest block, and when it was received", async () => {
    let number = 1n;
    const source = pollHead({ getBlock: async () => block(number++), intervalMs: 100 });
    expect(source.latest()).toBeUndefined();
    await vi.advanceTimersByTimeAsync(0);
    expect(source.latest()).toEqual({ ...block(1n), receivedAt: Date.now() });
    await vi.advanceTimersByTimeAsync(100);
    expect(source.latest()?.number).toBe(2n);
    source.stop();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(source.latest()?.number).toBe(2n);
  });

  it("has one request in flight, and asks a slow node less often", async () => {
    let [inFlight, most, asked] = [0, 0, 0];
    const getBlock = async () => {
      asked += 1;
      most = Math.max(most, ++inFlight);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      inFlight -= 1;
      return block(1n);
    };
    const source = pollHead({ getBlock, intervalMs: 100 });
    await vi.advanceTimersByTimeAsync(11_000);
    expect(most).toBe(1);
    // A second for the answer and three until the next request.
    expect(asked).toBe(3);
    source.stop();
  });

  it("waits longer after each failure, but at most 5 s, and keeps what it has", async () => {
    let failing = false;
    let asked = 0;
    const errors: unknown[] = [];
    const getBlock = async () => {
      asked += 1;
      if (failing) throw new Error("no answer");
      return block(1n);
    };
    const source = pollHead({ getBlock, intervalMs: 100, onError: (error) => errors.push(error) });
    await vi.advanceTimersByTimeAsync(50);
    failing = true;
    asked = 0;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked).toBeGreaterThanOrEqual(12);
    expect(asked).toBeLessThanOrEqual(20);
    expect(errors).toHaveLength(asked);
    expect(source.latest()?.number).toBe(1n);
    source.stop();
  });
});
