import { and, eq, getTableColumns, sql } from "drizzle-orm";
import type { Hex } from "viem";
import { type Placeholders, preparedQuery } from "../indexed/prepared-query";
import { keccak256 } from "./keccak";
import type { StoreDatabase } from "./open";
import { document, type documentKinds } from "./tables";

export type DocumentKind = (typeof documentKinds)[number];

/** The path at which the documents of a kind are served. */
export const documentPaths = {
  catalog: "/catalogs",
  "quote-request": "/quote-requests",
  "quote-response": "/quote-responses",
  "fulfillment-payload": "/fulfillment-payloads",
  "fulfillment-evidence": "/fulfillment-evidence",
} as const satisfies Record<DocumentKind, string>;

/** Optional metadata of a document. */
export type DocumentFields = Pick<typeof document.$inferSelect, (typeof fieldNames)[number]>;

const fieldNames = [
  "merchantId",
  "serviceId",
  "serviceNumericId",
  "requestId",
  "requestHash",
  "agent",
  "receiptId",
  "quoteHash",
  "payloadHash",
  "encryption",
  "merchantKeyId",
  "evidenceType",
] as const;

/** A document's row without its bytes. */
export type DocumentRecord = Omit<typeof document.$inferSelect, "bytes">;

const { bytes: _, ...recordColumns } = getTableColumns(document);

/** The id of a document: the keccak256 of its bytes. */
export const documentHash = (bytes: Uint8Array): Hex => keccak256(bytes);

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Keeps an existing value and fills an empty one. */
const keepExisting = (column: keyof DocumentFields) =>
  sql`coalesce(${document[column]}, excluded.${sql.identifier(snakeCase(column))})`;

/** Whether a publication fills an empty field. */
const fillsField = sql.join(
  fieldNames.map(
    (column) => sql`(${document[column]} IS NULL AND excluded.${sql.identifier(snakeCase(column))} IS NOT NULL)`,
  ),
  sql` OR `,
);

type NewDocument = DocumentFields & Pick<typeof document.$inferSelect, "kind" | "hash" | "bytes" | "sizeBytes">;

const upsert = preparedQuery((db: StoreDatabase, values: Placeholders<NewDocument>) =>
  db
    .insert(document)
    .values({
      kind: values.kind,
      hash: values.hash,
      bytes: values.bytes,
      sizeBytes: values.sizeBytes,
      ...(Object.fromEntries(fieldNames.map((column) => [column, values[column]])) as Placeholders<DocumentFields>),
    })
    .onConflictDoUpdate({
      target: [document.kind, document.hash],
      set: {
        ...Object.fromEntries(fieldNames.map((column) => [column, keepExisting(column)])),
        updatedAt: sql`CASE WHEN ${fillsField} THEN now() ELSE ${document.updatedAt} END`,
      },
    })
    // Only a row that was updated has an xmax.
    .returning({ ...recordColumns, isNew: sql<boolean>`xmax = 0` }),
);

/**
 * Upserts a document in one statement, so concurrent publications create one row. Recorded fields never change; later
 * publications only fill empty ones. `isNew` is whether the document did not exist before.
 */
export async function saveDocument(
  db: StoreDatabase,
  kind: DocumentKind,
  { hash, bytes }: { hash: Hex; bytes: Uint8Array },
  fields: DocumentFields,
): Promise<DocumentRecord & { isNew: boolean }> {
  const [row] = await upsert(db, { kind, hash, bytes, sizeBytes: bytes.length, ...fields });
  if (!row) throw new Error(`Document ${hash} was not stored`);
  return row;
}

type Key = { kind: DocumentKind; hash: Hex };

const isDocument = ({ kind, hash }: Placeholders<Key>) => and(eq(document.kind, kind), eq(document.hash, hash));

const selectBytes = preparedQuery((db: StoreDatabase, key: Placeholders<Key>) =>
  db.select({ bytes: document.bytes }).from(document).where(isDocument(key)),
);

/** Reads the exact bytes of a document, or null if it does not exist. */
export async function readDocument(db: StoreDatabase, kind: DocumentKind, hash: Hex): Promise<Uint8Array | null> {
  const [row] = await selectBytes(db, { kind, hash });
  return row?.bytes ?? null;
}

const selectRecord = preparedQuery((db: StoreDatabase, key: Placeholders<Key>) =>
  db.select(recordColumns).from(document).where(isDocument(key)),
);

/** Reads a document's record, or null if it does not exist. */
export async function readDocumentRecord(
  db: StoreDatabase,
  kind: DocumentKind,
  hash: Hex,
): Promise<DocumentRecord | null> {
  const [row] = await selectRecord(db, { kind, hash });
  return row ?? null;
}
