import type { PaymentRequirements } from "@x402/core/types";
import type { Authorization } from "./payload";

/** x402's codes for payments that are rejected without the facilitator. */
export const CODES = {
  signature: "invalid_exact_evm_signature",
  recipient: "invalid_exact_evm_recipient_mismatch",
  amount: "invalid_exact_evm_payload_authorization_value_mismatch",
  expired: "invalid_exact_evm_payload_authorization_valid_before",
  notYetValid: "invalid_exact_evm_payload_authorization_valid_after",
} as const;

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

const meaningOf = (code: string) => meanings.find(([pattern]) => pattern.test(code))?.[1];

/** The client message for an error code. */
export const rejectionMessage = (code: string) => `The payment is not accepted: ${meaningOf(code) ?? code}`;

/** Whether a facilitator may respond with this error code because its node failed. */
export const mayBeMistaken = (code: string) => /signature|simulation|not_supported|unexpected/.test(code);

/** Whether an error code tells the client nothing, such as that a simulation failed. */
export const isUnclear = (code: string) => meaningOf(code) === undefined;

/** The code for an authorization that does not pay these terms now. Undefined if it does. Ignores the signature. */
export function authorizationProblem(
  { to, value, validAfter, validBefore }: Authorization,
  { payTo, amount }: PaymentRequirements,
  nowSeconds: number,
): string | undefined {
  if (to !== payTo.toLowerCase()) return CODES.recipient;
  if (value !== BigInt(amount)) return CODES.amount;
  if (validBefore <= BigInt(nowSeconds)) return CODES.expired;
  if (validAfter > BigInt(nowSeconds)) return CODES.notYetValid;
  return undefined;
}

/** Whether an error code says that the payment's nonce was used before. */
export const isUsedNonce = (code: string) => /nonce_already_used/.test(code);

/** Whether a settlement failure is final. After any other failure the transfer may still succeed. */
export const isFinal = (code: string, transaction: string | undefined) =>
  !transaction && (/insufficient/.test(code) || isUsedNonce(code));
