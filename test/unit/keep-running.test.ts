import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Child } from "../../stack/supervision/child";
import { type KeptRunning, keepRunning } from "../../stack/supervision/keep-running";

type Fake = Child & { end: (code: number | null) => void; isStopped: () => boolean };

function fakeChild(pid: number): Fake {
  let end: (code: number | null) => void = () => {};
  let stopped = false;
  const ended = new Promise<number | null>((resolve) => {
    end = resolve;
  });
  return {
    name: "child",
    pid,
    ended,
    end,
    isStopped: () => stopped,
    lastLines: () => ["its last line"],
    async stop() {
      stopped = true;
      end(0);
    },
  };
}

describe("keepRunning", () => {
  let children: Fake[];
  let delays: number[];
  let givenUp: string[];
  let kept: KeptRunning<Fake>;
  let failsToStart: boolean;

  beforeEach(async () => {
    vi.useFakeTimers();
    children = [];
    delays = [];
    givenUp = [];
    failsToStart = false;
    kept = await keepRunning<Fake>({
      async start() {
        if (failsToStart) throw new Error("The database does not answer");
        const child = fakeChild(children.length);
        children.push(child);
        return child;
      },
      onRestart: (_, delayMs) => delays.push(delayMs),
      onGivenUp: (error) => givenUp.push(error.message),
      isFinal: (code) => code === 1,
    });
  });
  afterEach(() => vi.useRealTimers());

  /** Ends the running child, and waits for the maximum delay. */
  const crash = async (code: number | null) => {
    children.at(-1)?.end(code);
    await vi.advanceTimersByTimeAsync(30_000);
  };

  it("restarts a child with increasing delay, and gives up after several consecutive failures", async () => {
    for (let failure = 0; failure < 8; failure++) await crash(75);
    expect(delays).toEqual([500, 1_000, 2_000, 5_000, 10_000, 30_000]);
    expect(children).toHaveLength(7);
    expect(givenUp).toEqual(["child ended with code 75:\nits last line"]);
  });

  it("counts a failed start as a failure, and continues after a successful one", async () => {
    failsToStart = true;
    children[0]?.end(null);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(delays).toEqual([500, 1_000, 2_000]);
    failsToStart = false;
    await vi.advanceTimersByTimeAsync(2_000);
    expect(children).toHaveLength(2);
    failsToStart = true;
    children[1]?.end(null);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(delays).toEqual([500, 1_000, 2_000, 5_000, 10_000, 30_000]);
    expect(givenUp).toEqual(["The database does not answer"]);
  });

  it("resets the delay after a child has run for a minute", async () => {
    await crash(75);
    await crash(null);
    await vi.advanceTimersByTimeAsync(61_000);
    await crash(75);
    expect(delays).toEqual([500, 1_000, 500]);
  });

  it("does not restart a child after an error that a restart can't fix", async () => {
    await crash(1);
    expect(children).toHaveLength(1);
    expect(givenUp).toHaveLength(1);
  });

  it("keeps the old child if its replacement fails, and stops it otherwise", async () => {
    await expect(kept.replace(() => Promise.reject(new Error("does not listen")))).rejects.toThrow("does not listen");
    expect(kept.current()).toBe(children[0]);
    expect(children.map((child) => child.isStopped())).toEqual([false, true]);
    await kept.replace(async () => {});
    expect(kept.current()).toBe(children[2]);
    expect(children.map((child) => child.isStopped())).toEqual([true, true, false]);
    expect(delays).toEqual([]);
  });

  it("restarts on request without counting it as a failure, and not after it was stopped", async () => {
    await kept.restart();
    expect(kept.current()).toBe(children[1]);
    await kept.stop();
    await crash(75);
    expect([children.length, delays, givenUp]).toEqual([2, [], []]);
  });
});
