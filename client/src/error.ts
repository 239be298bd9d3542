/** What the service answered instead of what was asked for; the message is its own sentence. */
export class IntentryError extends Error {
  override name = "IntentryError";

  constructor(
    message: string,
    /** The HTTP status; undefined when there was no answer at all. */
    readonly status: number | undefined,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The failure that an answer is, by its status and what it says. */
export function refusal(status: number, body: unknown): IntentryError {
  const { error } = (body ?? {}) as { error?: unknown };
  return new IntentryError(typeof error === "string" ? error : `The service answered ${status}`, status);
}

/** The failure that a response is. */
export const failureOf = async (response: Response): Promise<IntentryError> =>
  refusal(response.status, await response.json().catch(() => null));
