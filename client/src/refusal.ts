import { IntentryError } from "./error";

/** The error for an action that must not be sent. */
export const refused = (message: string): IntentryError =>
  new IntentryError(`${message}. Nothing was sent`, { code: "transaction_failed" });

/** Throws it if there is a problem. */
export function refuse(problem: string | undefined): void {
  if (problem !== undefined) throw refused(problem);
}
