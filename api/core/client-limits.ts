import { steadyTime } from "../../config/steady-time";
import { TooMany } from "./errors";
import { changeCount, createMinuteCounts } from "./minute-counts";
import { createSemaphore } from "./semaphore";

/** How many reads of a client may wait for others of it, and for how long. */
const MAX_WAITING = 500;
const WAIT_MS = 10_000;

/** Limits on the requests of each client, counted in the memory of this process. */
export type ClientLimits = {
  /** Counts requests of a client. Throws {@link TooMany} above the limit per minute. */
  countRequests: (client: string, requests?: number) => void;
  /** Runs a read when fewer than the limit of the client's reads run. Throws {@link TooMany} if too many wait. */
  runRead: <Value>(client: string, read: () => Promise<Value>) => Promise<Value>;
};

type Settings = {
  /** Undefined for no limit. */
  requestsPerMinute: number | undefined;
  readsAtOnce: number | undefined;
};

/** Creates the limits of a process. `now` returns the time in milliseconds. */
export const createClientLimits = (settings: Settings, now = steadyTime): ClientLimits => ({
  countRequests: requestCounter(settings.requestsPerMinute, now),
  runRead: readLimiter(settings.readsAtOnce),
});

function requestCounter(limit: number | undefined, now: () => number): ClientLimits["countRequests"] {
  if (limit === undefined) return () => {};
  const minute = createMinuteCounts(now);
  return (client, requests = 1) => {
    const { counts, secondsLeft } = minute.current();
    if (changeCount(counts, client, requests) <= limit) return;
    throw new TooMany(`More than ${limit} requests in a minute; try again in ${secondsLeft} s`, secondsLeft, limit);
  };
}

function readLimiter(limit: number | undefined): ClientLimits["runRead"] {
  if (limit === undefined) return (_, read) => read();
  const semaphore = createSemaphore(Number.POSITIVE_INFINITY, limit);
  const readsOf = new Map<string, number>();
  const tooMany = () =>
    new TooMany(`Too many reads at once: ${limit} run at a time, and the others wait; send fewer at a time`, 1);
  return async (client, read) => {
    if ((readsOf.get(client) ?? 0) >= limit + MAX_WAITING) throw tooMany();
    changeCount(readsOf, client, 1);
    try {
      const done = await semaphore.run(client, WAIT_MS, async () => ({ value: await read() }));
      if (!done) throw tooMany();
      return done.value;
    } finally {
      changeCount(readsOf, client, -1);
    }
  };
}
