import type { Logger } from "pino";
import { InProgress, PaymentUnknown, Unavailable } from "../core/errors";

const RETRY_SECONDS = 2;

/** A failure before the payment is submitted. The client can use the payment again. */
export const notCharged = (message: string, cause?: unknown) =>
  new Unavailable(message, { retryAfterSeconds: RETRY_SECONDS, cause });

/** The caller's payment was not processed because others are. */
export const tooBusy = () =>
  notCharged("Too many payments are in progress, and this one was not charged; try again shortly");

/** Rejects with the response to a request that needs the payment network. */
export const networkAway = (log: Logger) => (error: unknown) => {
  log.warn({ err: error }, "the payment network does not answer");
  throw notCharged("The payment network does not answer, so nothing was charged; try again shortly", error);
};

export const inProgress = () =>
  new InProgress("This payment is being processed; retry with the same payment to get the response", 1);

export const outcomeUnknown = (cause?: unknown) =>
  new PaymentUnknown(
    "The payment was submitted, but its outcome is not known yet; retry with the same payment, which is charged at most once",
    { retryAfterSeconds: RETRY_SECONDS, cause },
  );
