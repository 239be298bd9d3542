import type { Address } from "viem";
import type { QuoteCommitment } from "../../../common/quote-hash";
import type { Hex, Quote } from "../api";
import { type Fields, fieldsIn, unusable } from "./fields";

/** The ways to pay, in the order of `CommerceRegistry`'s payment rails. */
export const rails = ["transfer", "swap", "facilitator", "x402"] as const;

/** A way to pay: see {@link rails}. */
export type Rail = (typeof rails)[number];

/** A verified quote. */
export type VerifiedQuote = {
  quote: QuoteCommitment;
  quoteHash: Hex;
  /** The merchant's payout address on chain. */
  payTo: Address;
  /** Where the merchant answers, and its key for encrypted payloads. */
  merchant: { url: string; keyId: string; publicKey: string };
};

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

/** The commitment of an indexed quote. */
export const quoteOf = (quote: Quote): QuoteCommitment => ({
  merchantId: BigInt(quote.merchant_id),
  serviceNumericId: BigInt(quote.service_numeric_id),
  agent: quote.agent,
  token: quote.token,
  facilitator: quote.facilitator,
  amount: BigInt(quote.amount),
  paymentRail: quote.payment_rail,
  expiresAt: BigInt(quote.expires_at),
  paymentNonce: BigInt(quote.payment_nonce),
  resourceHash: quote.resource_hash,
  termsHash: quote.terms_hash,
  x402PayloadHash: quote.x402_payload_hash,
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
    resourceHash: quote.hash("resource_hash"),
    termsHash: quote.hash("terms_hash"),
    x402PayloadHash: quote.hash("x402_payload_hash"),
  };
}
