/** What the codes of facilitators mean, by a word that they have in common. */
const meanings: [RegExp, string][] = [
  [/insufficient/, "the payer does not have enough of the token"],
  [/nonce|already_used/, "it is used already"],
  [/valid_before|expired/, "it has expired"],
  [/valid_after|not_yet/, "it is not valid yet"],
  [/value|amount/, "it is for another amount"],
  [/recipient/, "it is for another recipient"],
  [/signature/, "its signature is not the payer's"],
  [/network/, "it is for another network"],
];

/** A code as x402 has them; what a facilitator says beyond that is its own business. */
export const codeOf = (reason: string | undefined) =>
  reason !== undefined && /^[a-z0-9_]{1,80}$/.test(reason) ? reason : "invalid_payment";

/** Why a payment is refused, as a sentence. */
export function sentenceOf(code: string): string {
  const meaning = meanings.find(([pattern]) => pattern.test(code))?.[1];
  return `The payment is not accepted: ${meaning ?? code}`;
}

/** Whether a refusal to settle is final: nothing was sent, and nothing will be. Any other failure may yet turn out paid. */
export const isFinal = (code: string, transaction: string | undefined) =>
  !transaction && /insufficient|nonce_already_used/.test(code);
