import { InProgress, PaymentUnknown, Unavailable } from "../core/errors";

/** A request is rejected with 402. `code` is x402's reason, and `headers` those of the response. */
export class PaymentRejected extends Error {
  override name = "PaymentRejected";

  constructor(
    message: string,
    readonly code = message,
    readonly headers: Record<string, string> = {},
  ) {
    super(message);
  }
}

/** x402's codes for the time of an authorization. */
export const EXPIRED = "invalid_exact_evm_payload_authorization_valid_before";
export const NOT_YET_VALID = "invalid_exact_evm_payload_authorization_valid_after";

/** Messages for facilitators' error codes, matched by a common substring. */
const meanings: [RegExp, string][] = [
  [/insufficient/, "the payer does not have enough of the token"],
  [/nonce|already_used/, "it was already used"],
  [/valid_before|expired/, "it has expired"],
  [/valid_after|not_yet/, "it is not valid yet"],
  [/value|amount/, "it is for another amount"],
  [/recipient/, "it is for another recipient"],
  [/6492_factory/, "the payer's account is not deployed, and the facilitator does not deploy it; deploy it first"],
  [/signature/, "its signature is not the payer's"],
  [/network/, "it is for another network"],
];

const meaningOf = (code: string) => meanings.find(([pattern]) => pattern.test(code))?.[1];

/** Returns the x402 error code, or `invalid_payment` for any other text of a facilitator. */
export const codeOf = (reason: string | undefined) =>
  reason !== undefined && /^[a-z0-9_]{1,80}$/.test(reason) ? reason : "invalid_payment";

/** The rejection of a payment for an error code. */
export const rejection = (code: string, headers?: Record<string, string>) =>
  new PaymentRejected(`The payment is not accepted: ${meaningOf(code) ?? code}`, code, headers);

/** Whether an error code tells the client nothing, such as that a simulation failed. */
export const isUnclear = (code: string) => meaningOf(code) === undefined;

/** Whether an error code says that the payment's nonce was used before. */
export const isUsedNonce = (code: string) => /nonce_already_used/.test(code);

/** Whether a settlement failure is final. After any other failure the transfer may still succeed. */
export const isFinal = (code: string, transaction: string | undefined) =>
  !transaction && (/insufficient/.test(code) || isUsedNonce(code));

const RETRY = { retryAfterSeconds: 2 };

/** A failure before the payment is submitted. The client can use the payment again. */
export const notCharged = (message: string, cause?: unknown) => new Unavailable(message, { ...RETRY, cause });

export const inProgress = () =>
  new InProgress("This payment is being processed; retry with the same payment to get the response", 1);

export const outcomeUnknown = (cause?: unknown) =>
  new PaymentUnknown(
    "The payment was submitted, but its outcome is not known yet; retry with the same payment, which is charged at most once",
    { ...RETRY, cause },
  );
