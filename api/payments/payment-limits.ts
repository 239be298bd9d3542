import { steadyTime } from "../../config/steady-time";
import { TooMany } from "../core/errors";
import { changeCount, createMinuteCounts } from "../core/minute-counts";

/** How many payments of one client may be in progress. */
const MAX_IN_PROGRESS = 40;
const RETRY_SECONDS = 2;

const NOT_PROCESSED = "so this one was not processed, and nothing was charged; try again";

export type LimitedPayment = ReturnType<ReturnType<typeof createPaymentLimits>["begin"]>;

/**
 * Limits the payments of a client that are in progress, and those that are rejected per minute. A payment is counted before
 * any work is done for it.
 */
export function createPaymentLimits(rejectedPerMinute = Number.POSITIVE_INFINITY, now = steadyTime) {
  const inProgress = new Map<string, number>();
  const minute = createMinuteCounts(now);
  const check = (counts: Map<string, number>, client: string, limit: number, is: string, retryAfterSeconds: number) => {
    if ((counts.get(client) ?? 0) >= limit)
      throw new TooMany(`${limit} payments of this client ${is}`, retryAfterSeconds);
  };

  return {
    /** Counts a payment of a client. Throws {@link TooMany} if it has reached a limit. */
    begin(client: string) {
      const { counts: rejected, secondsLeft } = minute.current();
      const wereRejected = `were rejected in a minute, ${NOT_PROCESSED} later`;
      check(rejected, client, rejectedPerMinute, wereRejected, secondsLeft);
      check(inProgress, client, MAX_IN_PROGRESS, `are in progress, ${NOT_PROCESSED} shortly`, RETRY_SECONDS);
      let isRejected = true;
      changeCount(rejected, client, 1);
      changeCount(inProgress, client, 1);
      return {
        /** It counts as rejected until it is marked otherwise. */
        mark(value: boolean) {
          if (value !== isRejected) changeCount(rejected, client, value ? 1 : -1);
          isRejected = value;
        },
        /** Call it when the payment has ended, whatever the outcome. */
        end: () => void changeCount(inProgress, client, -1),
      };
    },
  };
}
