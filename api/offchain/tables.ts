import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  customType,
  date,
  index,
  integer,
  numeric,
  pgSchema,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from "drizzle-orm/pg-core";

// Off-chain data. Hashes and addresses are lowercase hex, ids decimal digits.
// `npx drizzle-kit generate` writes the migration for a change here. Constraints have PostgreSQL's default names.

const offchain = pgSchema("offchain");

const bytea = customType<{ data: Uint8Array }>({ dataType: () => "bytea" });
const tsvector = customType<{ data: string }>({ dataType: () => "tsvector" });

const createdAt = () => timestamp({ withTimezone: true, mode: "date" }).notNull().defaultNow();
const updatedAt = createdAt;

export const documentKinds = [
  "catalog",
  "quote-request",
  "quote-response",
  "fulfillment-payload",
  "fulfillment-evidence",
] as const;

/** Published JSON documents. The bytes never change; metadata columns are only filled, never overwritten. */
export const document = offchain.table(
  "document",
  {
    kind: text({ enum: documentKinds }).notNull(),
    /** keccak256 of the bytes. */
    hash: text().notNull(),
    bytes: bytea().notNull(),
    sizeBytes: integer().notNull(),
    merchantId: text(),
    serviceId: text(),
    serviceNumericId: text(),
    requestId: text(),
    requestHash: text(),
    agent: text(),
    receiptId: text(),
    quoteHash: text(),
    payloadHash: text(),
    encryption: text(),
    merchantKeyId: text(),
    evidenceType: text(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [primaryKey({ name: "document_pkey", columns: [table.kind, table.hash] })],
);

/** Write counters by client and minute, for the rate limit. */
export const writeCount = offchain.table(
  "write_count",
  {
    client: text().notNull(),
    /** Minutes since 1970. */
    minute: bigint({ mode: "number" }).notNull(),
    count: integer().notNull(),
  },
  (table) => [
    primaryKey({ name: "write_count_pkey", columns: [table.client, table.minute] }),
    index("write_count_minute").on(table.minute),
  ],
);

/** Bytes stored by client and day (UTC), of all kinds of data. */
export const storedBytes = offchain.table(
  "stored_bytes",
  { client: text().notNull(), day: date({ mode: "string" }).notNull(), bytes: bigint({ mode: "number" }).notNull() },
  (table) => [primaryKey({ name: "stored_bytes_pkey", columns: [table.client, table.day] })],
);

/** Attestation schemas. A migration inserts the built-in ones. */
export const attestationSchema = offchain.table("attestation_schema", {
  schemaHash: text().primaryKey(),
  name: text().notNull().unique("attestation_schema_name_key"),
  description: text(),
  /** The JSON Schema, re-serialized after parsing. */
  jsonSchema: text().notNull(),
  recommendedSubject: text(),
  builtin: boolean().notNull(),
  createdAt: createdAt(),
});

/**
 * Submitted intent metadata, one row per distinct content. An intent may have several rows; reads choose one by the
 * intent's owner and its on-chain commitments.
 */
export const intentMetadata = offchain.table(
  "intent_metadata",
  {
    chainId: integer().notNull(),
    intentHash: text().notNull(),
    /** The claimed owner of the intent. */
    owner: text().notNull(),
    /** Hash of the content columns. */
    contentHash: text().notNull(),
    executionTarget: text(),
    executionData: text(),
    /** keccak256 of `executionData`. */
    executionDataHash: text(),
    requiredAttestationSubject: text(),
    requiredAttestationSchema: text(),
    /** When the owner's signature was first received; null if never. */
    signedAt: timestamp({ withTimezone: true, mode: "date" }),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    primaryKey({
      name: "intent_metadata_pkey",
      columns: [table.chainId, table.intentHash, table.owner, table.contentHash],
    }),
  ],
);

/**
 * Signed payments, from first receipt until they have expired and their transfer is final. States:
 * - CLAIMED while the payment is verified and the operation runs
 * - SETTLING from just before the settlement request, whatever its outcome
 * - SETTLED when the transfer is confirmed
 * - FINAL when no reorg can remove the transfer any more
 * - REVERTED after a reorg has removed the transfer; it is settled again while it is valid
 * - UNPAID if it has expired without a transfer after a reorg; the row is kept
 */
export const payment = offchain.table(
  "payment",
  {
    /** CAIP-2. */
    network: text().notNull(),
    asset: text().notNull(),
    payer: text().notNull(),
    nonce: text().notNull(),
    /** Hash of the signed authorization and its signature. */
    hash: text().notNull(),
    /** The request that the payment is for. */
    request: text().notNull(),
    state: text({ enum: ["CLAIMED", "SETTLING", "SETTLED", "FINAL", "REVERTED", "UNPAID"] }).notNull(),
    /** The lease holder. Every attempt has a new id. */
    holder: text().notNull(),
    leaseUntil: timestamp({ withTimezone: true, mode: "date" }).notNull(),
    /** The response body, set when settlement begins. */
    answer: text(),
    /** The payment network's newest block before settlement; null if unknown. */
    fromBlock: bigint({ mode: "bigint" }),
    /** Hash of the settlement transaction. In the states REVERTED and UNPAID, of the removed one. */
    transaction: text(),
    /** The block of the transaction. Null until it was read from the chain, and after a reorg. */
    blockNumber: bigint({ mode: "bigint" }),
    blockHash: text(),
    /** The signed payment, as JSON for the facilitator. */
    payload: text().notNull(),
    expiresAt: timestamp({ withTimezone: true, mode: "date" }).notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ name: "payment_pkey", columns: [table.network, table.asset, table.payer, table.nonce] }),
    index("payment_expires_at").on(table.expiresAt),
  ],
);

const amount = customType<{ data: bigint; driverData: string }>({
  dataType: () => "numeric(78)",
  toDriver: String,
  fromDriver: BigInt,
});

/** Off-chain bids, for development. They reference intents by hash. */
export const offchainBid = offchain.table(
  "bid",
  {
    number: bigint({ mode: "bigint" }).generatedAlwaysAsIdentity().primaryKey(),
    chainId: integer().notNull(),
    intentHash: text().notNull(),
    intentId: amount().notNull(),
    solver: text().notNull(),
    amountIn: amount().notNull(),
    amountOut: amount().notNull(),
    fee: amount().notNull(),
    validUntil: amount().notNull(),
    /** A JSON object, as text. */
    executionPlan: text(),
    status: text({ enum: ["OPEN", "SELECTED", "REJECTED"] }).notNull(),
    /** Unix seconds. */
    createdAt: bigint({ mode: "bigint" }).notNull(),
    /** Unix seconds. Null until it is selected. */
    selectedAt: bigint({ mode: "bigint" }),
  },
  (table) => [
    index("bid_best_first").on(
      table.chainId,
      table.intentHash,
      table.amountOut.desc().nullsFirst(),
      table.amountIn,
      table.fee,
      table.createdAt,
      table.number,
    ),
    // An intent has at most one selected bid.
    uniqueIndex("bid_one_selected").on(table.chainId, table.intentHash).where(sql`${table.status} = 'SELECTED'`),
  ],
);

/**
 * Events that were sent to subscribers before they were finalized. A reorg deletes them from the index, so these rows are
 * the source for their revert messages.
 */
export const eventRecord = offchain.table(
  "event_record",
  {
    chainId: integer().notNull(),
    /** The event id: block, log index and block hash prefix. */
    id: text().notNull(),
    /** The id of the previous event on the same branch. */
    previousId: text().notNull(),
    event: text().notNull(),
    contract: text().notNull(),
    blockHash: text().notNull(),
    /** The event's subjects (ids and addresses), as JSON. */
    subjects: text().notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ name: "event_record_pkey", columns: [table.chainId, table.id] }),
    index("event_record_created_at").on(table.createdAt),
  ],
);

/** Indexed chains. A different genesis block under the same id is a different chain. */
export const chain = offchain.table("chain", {
  chainId: integer().primaryKey(),
  genesisHash: text().notNull(),
  createdAt: createdAt(),
});

export { chainHead } from "../../rpc/published-head";

/**
 * What token contracts say about themselves, read once. A row without a symbol, a name and decimals has the time of the next
 * attempt; such rows expire.
 */
export const token = offchain.table(
  "token",
  {
    chainId: integer().notNull(),
    address: text().notNull(),
    symbol: text(),
    name: text(),
    decimals: integer(),
    /** Null if the contract has answered. */
    retryAt: timestamp({ withTimezone: true, mode: "date" }),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ name: "token_pkey", columns: [table.chainId, table.address] }),
    index("token_retry_at").on(table.retryAt),
    index("token_symbol").on(table.chainId, sql`lower(${table.symbol})`),
    index("token_name").on(table.chainId, sql`lower(${table.name})`),
  ],
);

/**
 * The dollar price of a listed token in an hour of UTC: the answer of its feeds at the beginning of the hour, or their first
 * one in it. Hours without a row have not been read; those without a price had none. Handlers never read prices.
 */
export const tokenPrice = offchain.table(
  "token_price",
  {
    chainId: integer().notNull(),
    address: text().notNull(),
    /** The first second of the hour. */
    hour: bigint({ mode: "bigint" }).notNull(),
    /** Dollars for one whole token. */
    price: numeric(),
    /** Dollars for the smallest unit of the token: the price divided by 10^decimals, exactly. */
    unitPrice: numeric(),
    createdAt: createdAt(),
  },
  (table) => [primaryKey({ name: "token_price_pkey", columns: [table.chainId, table.address, table.hour] })],
);

/**
 * Counts the commits that change what list and record routes show. Triggers increment it when they commit. Publishing a
 * document does not, because documents are immutable, except for fulfillment evidence, which receipts link.
 */
export const revision = offchain.table("revision", {
  only: boolean().primaryKey().default(true),
  number: bigint({ mode: "bigint" }).notNull().default(sql`0`),
});

/**
 * Gateway processes and the builds of the index that they read, if the indexer can't see their connections: behind a pooler,
 * or to a replica. A process renews its row. The indexer does not drop a build that is read.
 */
export const indexReader = offchain.table("index_reader", {
  /** A random id of the process. */
  reader: text().primaryKey(),
  /** The build's schema. */
  build: text().notNull(),
  renewedAt: timestamp({ withTimezone: true, mode: "date" }).notNull(),
});

/** Random values that all gateways on this database share. A migration creates them. */
export const secret = offchain.table("secret", {
  name: text({ enum: ["cursor"] }).primaryKey(),
  value: text().notNull().default(sql`replace(concat(gen_random_uuid(), gen_random_uuid()), '-', '')`),
});

/**
 * The settings that an indexer has published for the gateways on this database, by its DATABASE_SCHEMA. A gateway needs only
 * the database's URL to find its chain.
 */
export const publishedSettings = offchain.table("published_settings", {
  databaseSchema: text().primaryKey(),
  /** Environment variables, as a JSON object. */
  variables: text().notNull(),
  updatedAt: updatedAt(),
});

/** The kinds of records whose metadata URI is resolved. */
export const metadataSubjects = ["agent", "merchant", "service", "facilitator", "solver", "attestor"] as const;

/**
 * - `pending`: not fetched yet
 * - `verified`: the content has the hash that is on chain
 * - `unverified`: the chain has no hash
 * - `mismatch`: the content has another hash than the one on chain, and is not kept
 * - `unreachable`: no valid content could be fetched, for the recorded reason
 */
export const metadataStates = ["pending", "verified", "unverified", "mismatch", "unreachable"] as const;

/**
 * The metadata of indexed records. A row is valid for the URI and the hash that it was fetched for. Readers join it with the
 * index and compare both, so a change on chain or a reorg needs no repair.
 */
export const resolvedMetadata = offchain.table(
  "resolved_metadata",
  {
    chainId: integer().notNull(),
    subject: text({ enum: metadataSubjects }).notNull(),
    subjectId: amount().notNull(),
    uri: text().notNull(),
    /** The hash on chain; null if it has none. */
    hash: text(),
    /** The beginning of a service's `service_id`, so that it is found without metadata. */
    label: text(),
    state: text({ enum: metadataStates }).notNull().default("pending"),
    /** Why the content is missing, as a sentence. */
    reason: text(),
    /** keccak256 of the fetched bytes. */
    contentHash: text(),
    /** The JSON object, re-serialized, without NUL and unpaired surrogates. */
    content: text(),
    name: text(),
    description: text(),
    tags: text().array().notNull().default(sql`'{}'`),
    capabilities: text().array().notNull().default(sql`'{}'`),
    /** Whether other hosts are asked for it. */
    isRemote: boolean().notNull(),
    /** The hash of the document of this service that the URI names. Publishing it makes the row due. */
    documentHash: text(),
    attempts: integer().notNull().default(0),
    /** When to fetch it next. Null for never. */
    nextAttemptAt: timestamp({ withTimezone: true, mode: "date" }).defaultNow(),
    resolvedAt: timestamp({ withTimezone: true, mode: "date" }),
    /** The words of the metadata, and the subject as the word `subject:<subject>`, which no text contains. */
    search: tsvector().generatedAlwaysAs(
      sql`array_to_tsvector(ARRAY['subject:' || subject]) || setweight(to_tsvector('english', offchain.words(ARRAY[name, label])), 'A') || setweight(to_tsvector('simple', offchain.words(ARRAY[name, label])), 'A') || setweight(to_tsvector('english', offchain.words(tags || capabilities)), 'B') || setweight(to_tsvector('english', offchain.words(ARRAY[description])), 'C')`,
    ),
  },
  (table) => [
    primaryKey({ name: "resolved_metadata_pkey", columns: [table.chainId, table.subject, table.subjectId] }),
    index("resolved_metadata_search").using("gin", table.search),
    index("resolved_metadata_name").on(table.chainId, sql`lower(${table.name})`, table.subject, table.subjectId),
    index("resolved_metadata_due")
      .on(table.chainId, table.isRemote, table.nextAttemptAt)
      .where(sql`${table.nextAttemptAt} IS NOT NULL`),
    index("resolved_metadata_document").on(table.documentHash).where(sql`${table.documentHash} IS NOT NULL`),
    index("resolved_metadata_hash").on(table.hash).where(sql`${table.hash} IS NOT NULL`),
  ],
);

/** How far the event log was read for changes of metadata, and the lease of the process that reads it. One row per chain. */
export const metadataLease = offchain.table("metadata_feed", {
  chainId: integer().primaryKey(),
  /** The last event that was read and is final; empty before the first. */
  eventId: text().notNull().default(""),
  blockHash: text().notNull().default(""),
  /** The lease holder. */
  holder: text().notNull(),
  leaseUntil: timestamp({ withTimezone: true, mode: "date" }).notNull(),
});
