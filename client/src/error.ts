import type { ErrorCode } from "./api";

/**
 * The codes of errors that the client itself reports:
 * - `invalid_url`: the service's URL has no scheme, or is not a URL.
 * - `no_response`: the service, a merchant or a node did not answer. The message has the URL and the cause.
 * - `unexpected_response`: the response is not one of Intentry, for example of a proxy.
 * - `hash_mismatch`: the service stored or returned another text than the expected one.
 * - `payer_missing`: a payment is required, and the client has no payer.
 * - `payment_declined`: the client did not pay, because of its spending limits or because the payer did not sign.
 * - `intent_ended`, `intent_timeout`: the intent did not reach the expected status.
 * - `invalid_quote`: a document, message or payment of another party of the market is not what it must be.
 * - `payment_unanswered`: a merchant did not answer after it was paid.
 * - `policy_denied`: the policies of the paying account deny the payment.
 * - `transaction_failed`: a transaction was not sent, or reverted.
 * - `invalid_amount`: a text is not an exact amount of the token.
 * - `invalid_envelope`: an encrypted payload can't be read, or was not encrypted for this key.
 */
export type ClientErrorCode =
  | "invalid_url"
  | "invalid_amount"
  | "no_response"
  | "unexpected_response"
  | "hash_mismatch"
  | "payer_missing"
  | "payment_declined"
  | "intent_ended"
  | "intent_timeout"
  | "invalid_quote"
  | "payment_unanswered"
  | "policy_denied"
  | "transaction_failed"
  | "invalid_envelope";

/** A code of the service or of the client. A newer service may have further codes. */
export type IntentryErrorCode = ErrorCode | ClientErrorCode | (string & Record<never, never>);

type Details = ErrorOptions & {
  status?: number | undefined;
  code: IntentryErrorCode;
  details?: Readonly<Record<string, unknown>> | undefined;
};

/**
 * A failed call. The message is a sentence for people, which may change. The code is for programs, and is stable.
 *
 * @example
 * if (error instanceof IntentryError && error.code === "not_found") return null;
 */
export class IntentryError extends Error {
  override name = "IntentryError";
  /** The HTTP status. Undefined if there was no response. */
  readonly status: number | undefined;
  /** The stable code, such as `not_found`. */
  readonly code: IntentryErrorCode;
  /** Further fields of the response, such as the computed hash when `payments.normalize` returns 409. */
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(message: string, { status, code, details, ...options }: Details) {
    super(message, options);
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

/** Whether an error is an IntentryError with this code. */
export const hasCode = (error: unknown, code: IntentryErrorCode): boolean =>
  error instanceof IntentryError && error.code === code;

/** The error for a status and a response body. */
export function refusal(status: number, body: unknown): IntentryError {
  const { error, code } = (body ?? {}) as { error?: unknown; code?: unknown };
  const message = typeof error === "string" ? error : `The service responded with status ${status}`;
  return new IntentryError(message, { status, code: typeof code === "string" ? code : "unexpected_response" });
}

/** The error for a failed response. */
export const failureOf = async (response: Response): Promise<IntentryError> =>
  refusal(response.status, await response.json().catch(() => null));

/** The message of the innermost cause, where fetch reports network errors. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause !== undefined) return reasonOf(error.cause);
  return "code" in error && error.message === "" ? String(error.code) : error.message;
}

/** The error for a request to this URL without a response. */
export const noResponse = (url: string, cause: unknown): IntentryError =>
  new IntentryError(`No response from ${url}: ${reasonOf(cause)}`, { code: "no_response", cause });
