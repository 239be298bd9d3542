import { steadyTime } from "../../config/steady-time";
import { TooMany } from "../core/errors";
import { changeCount, createMinuteCounts } from "../core/minute-counts";

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
 * any work is done for it.
 */
export function createPaymentLimits(rejectedPerMinute = Number.POSITIVE_INFINITY, now = steadyTime) {
  const inProgress = new Map<string, number>();
  const minute = createMinuteCounts(now);

  return {
    /** Counts a payment. Throws {@link TooMany} if the client has reached a limit. */
    begin(client: string): Attempt {
      const { counts: rejected, secondsLeft } = minute.current();
      if ((rejected.get(client) ?? 0) >= rejectedPerMinute)
        throw new TooMany(
          `${rejectedPerMinute} payments of this client were rejected in a minute, so this one was not processed, and nothing was charged; try again later`,
          secondsLeft,
        );
      if ((inProgress.get(client) ?? 0) >= MAX_IN_PROGRESS)
        throw new TooMany(
          `${MAX_IN_PROGRESS} payments of this client are in progress, so this one was not processed, and nothing was charged; try again shortly`,
          RETRY_SECONDS,
        );
      let isRejected = false;
      const mark = (value: boolean) => {
        if (value !== isRejected) changeCount(rejected, client, value ? 1 : -1);
        isRejected = value;
      };
      mark(true);
      changeCount(inProgress, client, 1);
      return { mark, end: () => void changeCount(inProgress, client, -1) };
    },
  };
}
