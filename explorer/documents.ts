import type { Hex } from "../client/src/api";
import type { Reads } from "./reads";

/** What all kinds of documents have. */
export type DocumentRecord = {
  size_bytes: number;
  uri: string;
  created_at: string;
  updated_at: string;
  merchant_id?: string | null;
  service_id?: string | null;
  service_numeric_id?: string | null;
  request_id?: string | null;
  request_hash?: Hex | null;
  agent?: Hex | null;
  receipt_id?: string | null;
  quote_hash?: Hex | null;
  payload_hash?: Hex | null;
  encryption?: string | null;
  merchant_key_id?: string | null;
  evidence_type?: string | null;
};

type DocumentKind = {
  /** The first part of the API's path, and of the page's address. */
  kind: string;
  title: string;
  read: (api: Reads, hash: string) => Promise<DocumentRecord>;
  readText: (api: Reads, hash: string) => Promise<string>;
};

export const documentKinds: readonly DocumentKind[] = [
  {
    kind: "catalogs",
    title: "Catalog",
    read: ({ documents }, hash) => documents.getCatalogMetadata.query({ hash }),
    readText: ({ documents }, hash) => documents.getCatalog.query({ hash }),
  },
  {
    kind: "quote-requests",
    title: "Quote request",
    read: ({ documents }, hash) => documents.getQuoteRequestMetadata.query({ hash }),
    readText: ({ documents }, hash) => documents.getQuoteRequest.query({ hash }),
  },
  {
    kind: "quote-responses",
    title: "Quote response",
    read: ({ documents }, hash) => documents.getQuoteResponseMetadata.query({ hash }),
    readText: ({ documents }, hash) => documents.getQuoteResponse.query({ hash }),
  },
  {
    kind: "fulfillment-payloads",
    title: "Fulfilment payload",
    read: ({ documents }, hash) => documents.getFulfillmentPayloadMetadata.query({ hash }),
    readText: ({ documents }, hash) => documents.getFulfillmentPayload.query({ hash }),
  },
  {
    kind: "fulfillment-evidence",
    title: "Fulfilment evidence",
    read: ({ documents }, hash) => documents.getFulfillmentEvidenceMetadata.query({ hash }),
    readText: ({ documents }, hash) => documents.getFulfillmentEvidence.query({ hash }),
  },
];
