import { secondsUntil } from "./clock";
import { TooMany } from "./errors";
import { createSemaphore } from "./semaphore";

const MINUTE_MS = 60_000;

/** Beyond this number of clients in a minute, counting starts again, which limits the memory for it. */
const MAX_CLIENTS = 100_000;

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
export const createClientLimits = (settings: Settings, now = Date.now): ClientLimits => ({
  countRequests: requestCounter(settings.requestsPerMinute, now),
  runRead: readLimiter(settings.readsAtOnce),
});

function requestCounter(limit: number | undefined, now: () => number): ClientLimits["countRequests"] {
  if (limit === undefined) return () => {};
  const counts = new Map<string, number>();
  let minuteEnd = 0;
  return (client, requests = 1) => {
    const time = now();
    if (time >= minuteEnd || counts.size >= MAX_CLIENTS) {
      counts.clear();
      minuteEnd = (Math.floor(time / MINUTE_MS) + 1) * MINUTE_MS;
    }
    const count = (counts.get(client) ?? 0) + requests;
    counts.set(client, count);
    if (count <= limit) return;
    const seconds = secondsUntil(minuteEnd, time);
    throw new TooMany(`More than ${limit} requests in a minute; try again in ${seconds} s`, seconds, limit);
  };
}

function readLimiter(limit: number | undefined): ClientLimits["runRead"] {
  if (limit === undefined) return (_, read) => read();
  const semaphore = createSemaphore(Number.POSITIVE_INFINITY, limit);
  const readsOf = new Map<string, number>();
  const tooMany = () =>
    new TooMany(`Too many reads at once: ${limit} run at a time, and the others wait; send fewer at a time`, 1);
  return async (client, read) => {
    const reads = (readsOf.get(client) ?? 0) + 1;
    if (reads > limit + MAX_WAITING) throw tooMany();
    readsOf.set(client, reads);
    try {
      const done = await semaphore.run(client, WAIT_MS, async () => ({ value: await read() }));
      if (!done) throw tooMany();
      return done.value;
    } finally {
      const left = (readsOf.get(client) ?? 1) - 1;
      if (left > 0) readsOf.set(client, left);
      else readsOf.delete(client);
    }
  };
}
