import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  customType,
  date,
  index,
  integer,
  pgSchema,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from "drizzle-orm/pg-core";

// What people publish, beside what the chain says. Hashes and addresses are lowercase hex, ids decimal digits.
// `npm run store:migration` writes the migration for a change here. Constraints have the names that the first migrations gave them.

const offchain = pgSchema("offchain");

const bytea = customType<{ data: Uint8Array }>({ dataType: () => "bytea" });

const createdAt = () => timestamp({ withTimezone: true, mode: "date" }).notNull().defaultNow();
const updatedAt = createdAt;

export const documentKinds = ["catalog", "quote-request", "quote-response"] as const;

/** One row is one published JSON document of a kind. Its bytes never change; what is recorded about it is only added to. */
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
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [primaryKey({ name: "document_pkey", columns: [table.kind, table.hash] })],
);

/** One row counts the writes of one client in one minute. */
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

/** One row sums up the bytes of new documents that one client published on one day (UTC). */
export const documentQuota = offchain.table(
  "document_quota",
  { client: text().notNull(), day: date({ mode: "string" }).notNull(), bytes: bigint({ mode: "number" }).notNull() },
  (table) => [primaryKey({ name: "document_quota_pkey", columns: [table.client, table.day] })],
);

/** One row is one attestation schema; the built-in ones come with the tables. */
export const attestationSchema = offchain.table("attestation_schema", {
  schemaHash: text().primaryKey(),
  name: text().notNull().unique("attestation_schema_name_key"),
  description: text(),
  /** The JSON Schema as it was parsed and written again. */
  jsonSchema: text().notNull(),
  recommendedSubject: text(),
  builtin: boolean().notNull(),
  createdAt: createdAt(),
});

/**
 * One row is one content that somebody says is the metadata of an intent. Several may exist for one intent: which of them
 * is served is decided when it is read, by the intent's owner and what the intent commits to.
 */
export const intentMetadata = offchain.table(
  "intent_metadata",
  {
    chainId: integer().notNull(),
    intentHash: text().notNull(),
    /** Whose intent it is said to be. */
    owner: text().notNull(),
    /** Names the content. */
    contentHash: text().notNull(),
    executionTarget: text(),
    executionData: text(),
    /** keccak256 of the data. */
    executionDataHash: text(),
    requiredAttestationSubject: text(),
    requiredAttestationSchema: text(),
    /** When the owner's signature first came with it; null is never. */
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
 * One row is one signed payment, from when somebody brings it until it can no longer be used. It is CLAIMED while it is
 * verified and what it buys is made, SETTLING from just before the facilitator is asked to settle it, whatever comes of
 * that, and SETTLED when it is known to be paid.
 */
export const payment = offchain.table(
  "payment",
  {
    /** CAIP-2. */
    network: text().notNull(),
    asset: text().notNull(),
    payer: text().notNull(),
    nonce: text().notNull(),
    /** Names what was signed, together with the signature. */
    hash: text().notNull(),
    /** What was asked for with it. */
    request: text().notNull(),
    state: text({ enum: ["CLAIMED", "SETTLING", "SETTLED"] }).notNull(),
    /** Who works on it: another name for each attempt. */
    holder: text().notNull(),
    /** Until when nobody else may work on it. */
    leaseUntil: timestamp({ withTimezone: true, mode: "date" }).notNull(),
    /** What it buys, once that is made. */
    answer: text(),
    /** The payment network's newest block before settlement, if it was known. */
    fromBlock: bigint({ mode: "bigint" }),
    /** The transaction that paid. */
    transaction: text(),
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

/** One row is one bid that was made here and not on chain, for development; it belongs to the intent with that hash. */
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
    // An intent has one selected bid at most.
    uniqueIndex("bid_one_selected").on(table.chainId, table.intentHash).where(sql`${table.status} = 'SELECTED'`),
  ],
);

/**
 * One row is one event that listeners were sent while a reorg could still remove it. When one has removed it, the index knows
 * it no more: this is what is left to tell those who were sent it.
 */
export const eventRecord = offchain.table(
  "event_record",
  {
    chainId: integer().notNull(),
    /** The event's position: its place and its branch. */
    id: text().notNull(),
    /** The position of the event before it, on the same branch. */
    previousId: text().notNull(),
    event: text().notNull(),
    contract: text().notNull(),
    blockHash: text().notNull(),
    /** What the event is about, as JSON. */
    subjects: text().notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ name: "event_record_pkey", columns: [table.chainId, table.id] }),
    index("event_record_created_at").on(table.createdAt),
  ],
);

/** One row is one chain that was indexed. Another genesis block under the same id is another chain. */
export const chain = offchain.table("chain", {
  chainId: integer().primaryKey(),
  genesisHash: text().notNull(),
  createdAt: createdAt(),
});

/**
 * One row is the newest block of a chain, as the one process that follows it knows it. It renews the row every second;
 * when it has not for a while, another process takes over.
 */
export const chainHead = offchain.table("chain_head", {
  chainId: integer().primaryKey(),
  /** The process that follows the chain. */
  follower: text().notNull(),
  isIndexer: boolean().notNull(),
  renewedAt: timestamp({ withTimezone: true, mode: "date" }).notNull(),
  /** Whether no node of the chain answers. */
  isAway: boolean().notNull(),
  number: amount(),
  hash: text(),
  /** Unix seconds. */
  timestamp: amount(),
  /** When a node last named the block as its newest. */
  receivedAt: timestamp({ withTimezone: true, mode: "date" }),
});
