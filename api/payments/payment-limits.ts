import { TooMany } from "../core/errors";

const MINUTE_MS = 60_000;

/** How many payments of one client may be in progress. */
const MAX_IN_PROGRESS = 40;
const RETRY_SECONDS = 2;

/** A payment of a client. It counts as rejected until it is marked otherwise. */
export type Attempt = {
  mark: (isRejected: boolean) => void;
  /** Call it when the payment has ended, whatever the outcome. */
  end: () => void;
};

/**
 * Limits the payments of a client that are in progress, and those that are rejected per minute. A payment is counted before
 * any work is done for it. The counters are in memory: a write to the store would cost more than the work they save.
 */
export function createPaymentLimits(rejectedPerMinute = Number.POSITIVE_INFINITY, now = Date.now) {
  const inProgress = new Map<string, number>();
  let rejected = new Map<string, number>();
  let minute = 0;

  const add = (counts: Map<string, number>, client: string, change: 1 | -1) => {
    const count = (counts.get(client) ?? 0) + change;
    if (count > 0) counts.set(client, count);
    else counts.delete(client);
  };

  return {
    /** Counts a payment. Throws {@link TooMany} if the client has reached a limit. */
    begin(client: string): Attempt {
      const time = now();
      if (Math.floor(time / MINUTE_MS) !== minute) {
        minute = Math.floor(time / MINUTE_MS);
        rejected = new Map();
      }
      if ((rejected.get(client) ?? 0) >= rejectedPerMinute)
        throw new TooMany(
          `${rejectedPerMinute} payments of this client were rejected in a minute, so this one was not processed, and nothing was charged; try again later`,
          Math.ceil(((minute + 1) * MINUTE_MS - time) / 1000),
        );
      if ((inProgress.get(client) ?? 0) >= MAX_IN_PROGRESS)
        throw new TooMany(
          `${MAX_IN_PROGRESS} payments of this client are in progress, so this one was not processed, and nothing was charged; try again shortly`,
          RETRY_SECONDS,
        );
      const counted = rejected;
      let isRejected = false;
      const mark = (value: boolean) => {
        if (value !== isRejected) add(counted, client, value ? 1 : -1);
        isRejected = value;
      };
      mark(true);
      add(inProgress, client, 1);
      return { mark, end: () => add(inProgress, client, -1) };
    },
  };
}
