/** An error response. The message is the service's own. */
export class IntentryError extends Error {
  override name = "IntentryError";

  constructor(
    message: string,
    /** The HTTP status. Undefined if there was no response. */
    readonly status: number | undefined,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The error for a status and a response body. */
export function refusal(status: number, body: unknown): IntentryError {
  const { error } = (body ?? {}) as { error?: unknown };
  return new IntentryError(typeof error === "string" ? error : `The service responded with status ${status}`, status);
}

/** The error for a failed response. */
export const failureOf = async (response: Response): Promise<IntentryError> =>
  refusal(response.status, await response.json().catch(() => null));
