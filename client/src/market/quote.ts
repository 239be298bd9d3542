import type { QuoteCommitment } from "../quote-hash";
import { type Fields, fieldsIn, unusable } from "./fields";

/** The ways to pay, in the order of `CommerceRegistry`'s payment rails. */
export const rails = ["transfer", "swap", "facilitator", "x402"] as const;

/** A way to pay: see {@link rails}. */
export type Rail = (typeof rails)[number];

/** Whether the merchant's facilitator settles payments on this rail. */
export const needsFacilitator = (rail: Rail): boolean => rail === "facilitator" || rail === "x402";

/** The rail of a number. */
export function railOf(paymentRail: number): Rail {
  const rail = rails[paymentRail];
  if (!rail) throw unusable(`Payment rail ${paymentRail} is unknown`);
  return rail;
}

/** The rail of a name in a document. */
export function railIn(fields: Fields): Rail {
  const name = fields.text("payment_rail");
  const rail = rails.find((one) => one === name);
  if (!rail) throw unusable(`payment_rail must be one of ${rails.join(", ")}`);
  return rail;
}

/** The quote of a response as JSON. */
export const quoteToJson = (quote: QuoteCommitment) => ({
  merchant_id: String(quote.merchantId),
  service_numeric_id: String(quote.serviceNumericId),
  agent: quote.agent.toLowerCase(),
  token: quote.token.toLowerCase(),
  facilitator: quote.facilitator.toLowerCase(),
  amount: String(quote.amount),
  payment_rail: railOf(quote.paymentRail),
  expires_at: String(quote.expiresAt),
  payment_nonce: String(quote.paymentNonce),
  resource_hash: quote.resourceHash,
  terms_hash: quote.termsHash,
  x402_payload_hash: quote.x402PayloadHash,
});

/** Reads the quote in the text of a quote response. */
export function quoteIn(response: string): QuoteCommitment {
  const quote = fieldsIn(response, "The quote response").object("quote");
  return {
    merchantId: quote.uint("merchant_id"),
    serviceNumericId: quote.uint("service_numeric_id"),
    agent: quote.hex("agent", 20),
    token: quote.hex("token", 20),
    facilitator: quote.hex("facilitator", 20),
    amount: quote.uint("amount"),
    paymentRail: rails.indexOf(railIn(quote)),
    expiresAt: quote.uint("expires_at"),
    paymentNonce: quote.uint("payment_nonce"),
    resourceHash: quote.hex("resource_hash", 32),
    termsHash: quote.hex("terms_hash", 32),
    x402PayloadHash: quote.hex("x402_payload_hash", 32),
  };
}
