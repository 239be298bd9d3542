import { steadyTime } from "../../config/steady-time";
import { secondsUntil } from "./clock";

const MINUTE_MS = 60_000;

/** Beyond this number of clients in a minute, counting starts again, which limits the memory for it. */
export const MAX_CLIENTS = 100_000;

type Minute = {
  /** The counts by client. */
  counts: Map<string, number>;
  /** Whole seconds until the next minute, at least one. */
  secondsLeft: number;
};

/**
 * Creates counters that start from zero every minute, in the memory of this process: a write to the store would cost more
 * than the work that they limit. `now` returns the time in milliseconds.
 */
export function createMinuteCounts(now = steadyTime): { current: () => Minute } {
  let counts = new Map<string, number>();
  let end = 0;
  return {
    /** The counters of the current minute. */
    current() {
      const time = now();
      if (time >= end || counts.size >= MAX_CLIENTS) {
        counts = new Map();
        end = (Math.floor(time / MINUTE_MS) + 1) * MINUTE_MS;
      }
      return { counts, secondsLeft: secondsUntil(end, time) };
    },
  };
}

/** Changes a client's count and returns it. A count of zero takes no memory. */
export function changeCount(counts: Map<string, number>, client: string, change: number): number {
  const count = (counts.get(client) ?? 0) + change;
  if (count > 0) counts.set(client, count);
  else counts.delete(client);
  return count;
}
