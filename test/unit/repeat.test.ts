import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { repeat } from "../../config/repeat";

describe("a repeated task", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  it("runs again after each pause, and not after it is stopped", async () => {
    const pauses = [50, 100];
    const task = vi.fn(async () => {});
    const { first, stop } = repeat({ task, pauseMs: () => pauses.shift() ?? 0, onError: () => {} });
    await first;
    expect(task).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(50);
    expect(task).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(99);
    expect(task).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(task).toHaveBeenCalledTimes(3);
    await stop();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(task).toHaveBeenCalledTimes(3);
  });

  it("does not overlap, and is stopped when its current run has ended", async () => {
    let end = () => {};
    const task = vi.fn(() => new Promise<void>((resolve) => (end = resolve)));
    const { stop } = repeat({ task, pauseMs: 1, onError: () => {} });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(task).toHaveBeenCalledTimes(1);
    let isStopped = false;
    const stopping = stop().then(() => (isStopped = true));
    await vi.advanceTimersByTimeAsync(0);
    expect(isStopped).toBe(false);
    end();
    await stopping;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(task).toHaveBeenCalledTimes(1);
  });

  it("reports an error once while it repeats, and again after a success or another error", async () => {
    const outcomes = ["a", "a", undefined, "a", "b", "b"];
    const reported: unknown[] = [];
    const { first, stop } = repeat({
      task: async () => {
        const outcome = outcomes.shift();
        if (outcome) throw new Error(outcome);
      },
      pauseMs: 1,
      onError: (error) => reported.push(String(error)),
    });
    await first;
    await vi.advanceTimersByTimeAsync(5);
    await stop();
    expect(reported).toEqual(["Error: a", "Error: a", "Error: b"]);
  });
});
