import type { Hex, Uint } from "./api";
import { documentHash } from "./documents";

/** A statement of a merchant that a receipt was fulfilled. */
export type FulfillmentEvidence = {
  /** What kind of evidence it is, such as `delivery`. At most 80 characters. */
  type: string;
  /** The fulfilled receipt. */
  receiptId: Uint;
  /** The quote of the receipt. */
  quoteHash?: Hex;
  /** The hash of the encrypted payload that was delivered, from `publishFulfillmentPayload`. */
  payloadHash?: Hex;
  /** Further public facts, such as the hash of the result. */
  details?: Record<string, unknown>;
};

/** The document of an evidence, and its hash. */
export type EvidenceDocument = {
  /** The text to publish with `publishFulfillmentEvidence`. */
  text: string;
  /** The `fulfillmentHash` of `CommerceRegistry.recordFulfillment`. */
  hash: Hex;
};

/**
 * Writes the evidence of a fulfillment as a JSON document, and computes the hash that the merchant records on chain.
 *
 * @example
 * const { text, hash } = fulfillmentEvidence({ type: "delivery", receiptId: 1n });
 * await intentry.publishFulfillmentEvidence(text);
 * await wallet.writeContract({ ...commerceRegistry, functionName: "recordFulfillment", args: [1n, hash] });
 */
export function fulfillmentEvidence(evidence: FulfillmentEvidence): EvidenceDocument {
  const { type, receiptId, quoteHash, payloadHash, details } = evidence;
  const text = JSON.stringify({
    type,
    receipt_id: String(receiptId),
    ...(quoteHash && { quote_hash: quoteHash.toLowerCase() }),
    ...(payloadHash && { payload_hash: payloadHash.toLowerCase() }),
    ...(details && { details }),
  });
  return { text, hash: documentHash(text) };
}
