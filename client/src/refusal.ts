import { IntentryError } from "./error";

/** The error for an action that must not be sent. */
export const refused = (message: string, cause?: unknown): IntentryError =>
  new IntentryError(`${message}. Nothing was sent`, { code: "transaction_failed", cause });
