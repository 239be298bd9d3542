/** Messages for facilitators' error codes, matched by a common substring. */
const meanings: [RegExp, string][] = [
  [/insufficient/, "the payer does not have enough of the token"],
  [/nonce|already_used/, "it was already used"],
  [/valid_before|expired/, "it has expired"],
  [/valid_after|not_yet/, "it is not valid yet"],
  [/value|amount/, "it is for another amount"],
  [/recipient/, "it is for another recipient"],
  [/signature/, "its signature is not the payer's"],
  [/network/, "it is for another network"],
];

/** Returns the x402 error code, or `invalid_payment` for any other text of a facilitator. */
export const codeOf = (reason: string | undefined) =>
  reason !== undefined && /^[a-z0-9_]{1,80}$/.test(reason) ? reason : "invalid_payment";

/** The client message for an error code. */
export function rejectionMessage(code: string): string {
  const meaning = meanings.find(([pattern]) => pattern.test(code))?.[1];
  return `The payment is not accepted: ${meaning ?? code}`;
}

/** Whether a settlement failure is final. After any other failure the transfer may still succeed. */
export const isFinal = (code: string, transaction: string | undefined) =>
  !transaction && /insufficient|nonce_already_used/.test(code);
