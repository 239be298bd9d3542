import type { Hex } from "viem";
import { PAYLOAD_ENCRYPTION } from "../../common/payload-encryption";
import { fieldsInDocument } from "../core/document-fields";
import { otherKindIn } from "../core/document-kinds";
import { BadInput, Conflict, NotFound, TooLarge } from "../core/errors";
import { address, hash, id, jsonText, shortText, textUpTo } from "../core/inputs";
import { countBytes, hasByteLimit, textBytes } from "../core/limits";
import { operation, z } from "../core/operation";
import { addressText, hashText, uintText } from "../core/outputs";
import { visibleToAll } from "../indexed/shared-read";
import {
  type DocumentFields,
  type DocumentKind,
  type DocumentRecord,
  documentHash,
  documentPaths,
  readDocument,
  readDocumentRecord,
  saveDocument,
} from "../offchain/documents";

const MAX_DOCUMENT_BYTES = 128 * 1024;

/** The metadata fields of documents: input type, output type and column. */
const fieldTypes = {
  merchant_id: { input: id, output: uintText, column: "merchantId" },
  service_id: { input: shortText, output: z.string(), column: "serviceId" },
  service_numeric_id: { input: id, output: uintText, column: "serviceNumericId" },
  request_id: { input: shortText, output: z.string(), column: "requestId" },
  request_hash: { input: hash, output: hashText, column: "requestHash" },
  agent: { input: address, output: addressText, column: "agent" },
  receipt_id: { input: id, output: uintText, column: "receiptId" },
  quote_hash: { input: hash, output: hashText, column: "quoteHash" },
  payload_hash: { input: hash, output: hashText, column: "payloadHash" },
  encryption: { input: textUpTo(120, PAYLOAD_ENCRYPTION), output: z.string(), column: "encryption" },
  merchant_key_id: { input: textUpTo(220, "key-1"), output: z.string(), column: "merchantKeyId" },
  evidence_type: { input: textUpTo(80, "delivery"), output: z.string(), column: "evidenceType" },
} as const satisfies Record<string, { input: z.ZodType; output: z.ZodType; column: keyof DocumentFields }>;

type FieldName = keyof typeof fieldTypes;

type Definition<Text extends string, Hash extends string, Name extends FieldName> = {
  kind: DocumentKind;
  /** The name of the kind, for summaries and errors. */
  what: string;
  /** The field names of the text in the request, and of its hash in the response. */
  text: Text;
  hash: Hash;
  fields: readonly Name[];
  /** The fields that must be in the request or in the document. */
  required?: readonly Name[];
  /** Where to look in the document for fields that the request omits. */
  lookIn: "nowhere" | "top" | "top and quote";
  /** Other names of fields in the document. */
  synonyms?: Readonly<Record<string, string>>;
  /** Whether other routes show that the document exists. */
  isLinked?: boolean;
  example: string;
};

type Types = typeof fieldTypes;

const inputTypes = (names: readonly FieldName[]): Record<string, z.ZodType> =>
  Object.fromEntries(names.map((name) => [name, fieldTypes[name].input]));

const sentFields = <Name extends FieldName>(names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, fieldTypes[name].input.optional()])) as {
    [Key in Name]: z.ZodOptional<Types[Key]["input"]>;
  };

const servedFields = <Name extends FieldName>(names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, fieldTypes[name].output.nullable()])) as {
    [Key in Name]: z.ZodNullable<Types[Key]["output"]>;
  };

/** An object with one field, typed by its name. */
const member = <const Name extends string, Value>(name: Name, value: Value) =>
  ({ [name]: value }) as { [Key in Name]: Value };

/**
 * Creates the three operations of one kind of document: publish it, read it, and read its metadata. `check` is the part of a
 * publication before it stores anything.
 */
function documentOperations<const Text extends string, const Hash extends string, const Name extends FieldName>({
  kind,
  what,
  text,
  hash: hashName,
  fields,
  required = [],
  lookIn,
  synonyms = {},
  isLinked = false,
  example,
}: Definition<Text, Hash, Name>) {
  const path = documentPaths[kind];
  const exampleHash = documentHash(new TextEncoder().encode(example));
  const exampleUri = `http://localhost:3001${path}/${exampleHash}`;
  const published = {
    ...member(hashName, hashText),
    ...servedFields(fields),
    size_bytes: z.int().min(0).openapi({ example: 2 }),
    uri: z.url().openapi({ description: "The URL of the document.", example: exampleUri }),
  };
  const input = z.object({ ...member(text, jsonText), expected_hash: hash.optional(), ...sentFields(fields) });
  const uriOf = (found: string, baseUrl: string) => `${baseUrl}${path}/${found}`;
  const name = `${what.charAt(0).toUpperCase()}${what.slice(1)}`;
  const typeName = what.replace(/(?:^| )([a-z])/g, (_, letter: string) => letter.toUpperCase());

  // The compiler can't check objects whose field names are type parameters: hence the casts to never.
  const toWire = (record: DocumentRecord, baseUrl: string) => ({
    [hashName]: record.hash,
    ...Object.fromEntries(fields.map((field) => [field, record[fieldTypes[field].column]])),
    size_bytes: record.sizeBytes,
    uri: uriOf(record.hash, baseUrl),
  });

  /** Parses a document into the record to store. Throws if the text is not a document of this kind. */
  const check = (parsed: z.output<typeof input>) => {
    const sent: Record<string, unknown> = parsed;
    const content = sent[text] as string;
    const bytes = new TextEncoder().encode(content);
    if (bytes.length > MAX_DOCUMENT_BYTES) throw new TooLarge(`${text}: must have at most ${MAX_DOCUMENT_BYTES} bytes`);
    const otherSchema = otherKindIn(kind, content);
    if (otherSchema !== undefined)
      throw new BadInput(`${text}: its schema ${otherSchema} names another kind of document than a ${what}`);
    const expected = sent.expected_hash as Hex | undefined;
    const actual = documentHash(bytes);
    if (expected !== undefined && expected !== actual)
      throw new Conflict(`expected_hash: is ${expected}, but the text's hash is ${actual}`);
    const found =
      lookIn === "nowhere"
        ? {}
        : fieldsInDocument(content, inputTypes(fields), { insideQuote: lookIn === "top and quote", synonyms });
    const missing = required.filter((field) => (sent[field] ?? found[field]) === undefined);
    if (missing.length > 0)
      throw new BadInput(...missing.map((field) => `${field}: is required, in the request or in the document`));
    const values = Object.fromEntries(
      Object.entries(fieldTypes).map(([field, { column }]) => {
        const value = fields.some((own) => own === field) ? (sent[field] ?? found[field]) : undefined;
        return [column, value === undefined ? null : String(value)];
      }),
    ) as DocumentFields;
    return { bytes, hash: actual, values };
  };

  const publish = operation({
    route: `POST ${path}`,
    summary: `Publishes the exact text of a ${what}.`,
    description: "A document is identified by the keccak256 of its bytes.",
    input,
    output: z.strictObject(published).openapi(`${typeName}Published`),
    errors: [401, 409, 413, 429],
    example: member(text, example) as never,
    writes: "insert",
    status: 201,
    dependsOn: ["store"],
    async run({ store, config }, input, caller) {
      const { bytes, hash: actual, values } = check(input as never);
      const db = await store();
      if (hasByteLimit(config, caller) && (await readDocumentRecord(db, kind, actual)) === null)
        await countBytes(db, config, caller, bytes.length + textBytes(values));
      const record = await saveDocument(db, kind, { hash: actual, bytes }, values);
      // No process has kept a response with a new document, unless another route links it.
      if (!record.isNew || isLinked) await visibleToAll();
      return toWire(record, caller.baseUrl) as never;
    },
  });

  const get = operation({
    route: `GET ${path}/{hash}`,
    summary: `The exact text of a published ${what}.`,
    input: z.object({ hash }),
    output: z.string(),
    errors: [404],
    example: { hash: exampleHash },
    document: true,
    dependsOn: ["store"],
    async run({ store }, { hash }) {
      const bytes = await readDocument(await store(), kind, hash);
      if (!bytes) throw new NotFound(`${name} ${hash} not found`);
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    },
  });

  const metadata = operation({
    route: `GET ${path}/{hash}/metadata`,
    summary: `The metadata of a ${what}.`,
    description: "Size, publication time and declared fields.",
    input: z.object({ hash }),
    output: z
      .strictObject({ ...published, created_at: z.iso.datetime(), updated_at: z.iso.datetime() })
      .openapi(`${typeName}Metadata`),
    errors: [404],
    example: { hash: exampleHash },
    dependsOn: ["store", "baseUrl"],
    async run({ store }, { hash }, caller) {
      const record = await readDocumentRecord(await store(), kind, hash);
      if (!record) throw new NotFound(`${name} ${hash} not found`);
      return {
        ...toWire(record, caller.baseUrl),
        created_at: record.createdAt.toISOString(),
        updated_at: record.updatedAt.toISOString(),
      } as never;
    },
  });
  return { publish, get, metadata, check, uriOf };
}

export const catalogs = documentOperations({
  kind: "catalog",
  what: "catalog",
  text: "catalog_json",
  hash: "catalog_hash",
  fields: ["merchant_id", "service_id"],
  lookIn: "nowhere",
  example: '{"services":[]}',
});

const quoteRequests = documentOperations({
  kind: "quote-request",
  what: "quote request",
  text: "quote_request_json",
  hash: "request_hash",
  fields: ["request_id", "merchant_id", "service_numeric_id", "service_id", "agent"],
  lookIn: "top",
  example: '{"request_id":"1","merchant_id":"1"}',
});

const quoteResponses = documentOperations({
  kind: "quote-response",
  what: "quote response",
  text: "quote_response_json",
  hash: "response_hash",
  fields: ["request_hash", "request_id", "merchant_id", "service_numeric_id", "agent", "quote_hash"],
  lookIn: "top and quote",
  example: '{"quote":{"merchantId":"1"}}',
});

const fulfillmentPayloads = documentOperations({
  kind: "fulfillment-payload",
  what: "fulfillment payload",
  text: "fulfillment_payload_json",
  hash: "payload_hash",
  fields: ["merchant_id", "agent", "quote_hash", "encryption", "merchant_key_id"],
  required: ["encryption", "merchant_key_id"],
  lookIn: "top",
  example: JSON.stringify({ encryption: PAYLOAD_ENCRYPTION, merchant_key_id: "key-1", ciphertext: "b3BhcXVl" }),
});

export const evidenceDocuments = documentOperations({
  kind: "fulfillment-evidence",
  what: "fulfillment evidence document",
  text: "fulfillment_evidence_json",
  hash: "evidence_hash",
  fields: ["receipt_id", "quote_hash", "payload_hash", "evidence_type"],
  required: ["evidence_type"],
  lookIn: "top",
  synonyms: { evidence_type: "type" },
  isLinked: true,
  example: '{"type":"delivery","receipt_id":"1"}',
});

/** The operations of documents by kind, as in the paths of their routes. */
export const documentsByKind = {
  catalogs,
  "quote-requests": quoteRequests,
  "quote-responses": quoteResponses,
  "fulfillment-payloads": fulfillmentPayloads,
  "fulfillment-evidence": evidenceDocuments,
};

export const documents = {
  publishCatalog: catalogs.publish,
  getCatalog: catalogs.get,
  getCatalogMetadata: catalogs.metadata,
  publishQuoteRequest: quoteRequests.publish,
  getQuoteRequest: quoteRequests.get,
  getQuoteRequestMetadata: quoteRequests.metadata,
  publishQuoteResponse: quoteResponses.publish,
  getQuoteResponse: quoteResponses.get,
  getQuoteResponseMetadata: quoteResponses.metadata,
  publishFulfillmentPayload: fulfillmentPayloads.publish,
  getFulfillmentPayload: fulfillmentPayloads.get,
  getFulfillmentPayloadMetadata: fulfillmentPayloads.metadata,
  publishFulfillmentEvidence: evidenceDocuments.publish,
  getFulfillmentEvidence: evidenceDocuments.get,
  getFulfillmentEvidenceMetadata: evidenceDocuments.metadata,
};
