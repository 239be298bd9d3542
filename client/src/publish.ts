import type {
  Api,
  CatalogPublished,
  FulfillmentEvidenceDocumentPublished,
  FulfillmentPayloadPublished,
  Hex,
  QuoteRequestPublished,
  QuoteResponsePublished,
} from "./api";
import { IntentryError } from "./error";

type Documents = Api["documents"];

/** Publishes a text. The fields are stored with it; the service may read omitted ones from the document itself. */
type Publish<Name extends keyof Documents, Text extends string, Published> = Documents[Name] extends {
  mutate: (input: infer Input, ...others: never) => unknown;
}
  ? (text: string, fields?: Omit<Input, Text | "expected_hash">) => Promise<Published>
  : never;

/** Publishes documents, and checks that the service stored exactly the given text. */
export type Publishing = {
  /** Publishes a catalog, and checks that the service stored exactly this text. */
  publishCatalog: Publish<"publishCatalog", "catalog_json", CatalogPublished>;
  /** Publishes a quote request, and checks that the service stored exactly this text. */
  publishQuoteRequest: Publish<"publishQuoteRequest", "quote_request_json", QuoteRequestPublished>;
  /** Publishes a quote response, and checks that the service stored exactly this text. */
  publishQuoteResponse: Publish<"publishQuoteResponse", "quote_response_json", QuoteResponsePublished>;
  /** Publishes an envelope of `encryptPayload`, and checks that the service stored exactly this text. */
  publishFulfillmentPayload: Publish<
    "publishFulfillmentPayload",
    "fulfillment_payload_json",
    FulfillmentPayloadPublished
  >;
  /** Publishes a document of `fulfillmentEvidence`, and checks that the service stored exactly this text. */
  publishFulfillmentEvidence: Publish<
    "publishFulfillmentEvidence",
    "fulfillment_evidence_json",
    FulfillmentEvidenceDocumentPublished
  >;
};

/** Throws if the service stored the document under another hash, and so stored another text. */
function verified<Published>(published: Published, hash: Hex, expected: Hex): Published {
  if (hash !== expected)
    throw new IntentryError(`The service stored ${hash}, but the hash of the text is ${expected}`, {
      code: "hash_mismatch",
    });
  return published;
}

/** Loads viem for the hash, which only a client that publishes needs. */
const hashOf = async (text: string) => (await import("./lazy.js")).documentHash(text);

/** The publishing helpers of a client. */
export const publishingOf = (documents: Documents): Publishing => ({
  async publishCatalog(text, fields) {
    const expected_hash = await hashOf(text);
    const published = await documents.publishCatalog.mutate({ catalog_json: text, expected_hash, ...fields });
    return verified(published, published.catalog_hash, expected_hash);
  },
  async publishQuoteRequest(text, fields) {
    const expected_hash = await hashOf(text);
    const input = { quote_request_json: text, expected_hash, ...fields };
    const published = await documents.publishQuoteRequest.mutate(input);
    return verified(published, published.request_hash, expected_hash);
  },
  async publishQuoteResponse(text, fields) {
    const expected_hash = await hashOf(text);
    const input = { quote_response_json: text, expected_hash, ...fields };
    const published = await documents.publishQuoteResponse.mutate(input);
    return verified(published, published.response_hash, expected_hash);
  },
  async publishFulfillmentPayload(text, fields) {
    const expected_hash = await hashOf(text);
    const input = { fulfillment_payload_json: text, expected_hash, ...fields };
    const published = await documents.publishFulfillmentPayload.mutate(input);
    return verified(published, published.payload_hash, expected_hash);
  },
  async publishFulfillmentEvidence(text, fields) {
    const expected_hash = await hashOf(text);
    const input = { fulfillment_evidence_json: text, expected_hash, ...fields };
    const published = await documents.publishFulfillmentEvidence.mutate(input);
    return verified(published, published.evidence_hash, expected_hash);
  },
});
