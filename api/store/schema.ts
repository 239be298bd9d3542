import { bigint, customType, date, index, integer, pgSchema, primaryKey, text, timestamp } from "drizzle-orm/pg-core";

// What people publish, beside what the chain says. Hashes and addresses are lowercase hex, ids decimal digits.
// migrations/ makes these tables; a change here is a new file there.

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
  (table) => [primaryKey({ columns: [table.kind, table.hash] })],
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
  (table) => [primaryKey({ columns: [table.client, table.minute] }), index().on(table.minute)],
);

/** One row sums up the bytes of new documents that one client published on one day (UTC). */
export const documentQuota = offchain.table(
  "document_quota",
  { client: text().notNull(), day: date({ mode: "string" }).notNull(), bytes: bigint({ mode: "number" }).notNull() },
  (table) => [primaryKey({ columns: [table.client, table.day] })],
);
