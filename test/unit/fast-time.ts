import { afterAll, beforeAll, vi } from "vitest";

const SPEED = 10;
const TICK_MS = 4;

/**
 * Lets timers and clocks run ten times as fast in this test file, for subjects that wait for seconds. Time passes only while
 * the thread's event loop turns, so a busy machine doesn't cause timeouts. System tests run the same code in real time.
 */
export function fastTime(): void {
  const realInterval = globalThis.setInterval;
  let ticking: NodeJS.Timeout;
  beforeAll(() => {
    vi.useFakeTimers({
      toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date", "performance"],
    });
    ticking = realInterval(() => vi.advanceTimersByTime(SPEED * TICK_MS), TICK_MS);
  });
  afterAll(() => {
    clearInterval(ticking);
    vi.useRealTimers();
  });
}
