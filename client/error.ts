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

/** The failure that a response is. */
export async function failureOf(response: Response): Promise<IntentryError> {
  const body = (await response.json().catch(() => null)) as { error?: string } | null;
  return new IntentryError(body?.error ?? `The service answered ${response.status}`, response.status);
}
