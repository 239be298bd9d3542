import { and, eq, getTableColumns, sql } from "drizzle-orm";
import type { Hex } from "viem";
import { keccak256 } from "./keccak";
import type { StoreDatabase } from "./open";
import { document, type documentKinds } from "./schema";

export type DocumentKind = (typeof documentKinds)[number];

/** Optional metadata of a document. */
export type DocumentFields = Pick<
  typeof document.$inferSelect,
  "merchantId" | "serviceId" | "serviceNumericId" | "requestId" | "requestHash" | "agent"
>;

/** A document's row without its bytes. */
export type DocumentRecord = Omit<typeof document.$inferSelect, "bytes">;

const { bytes: _, ...recordColumns } = getTableColumns(document);

/** The id of a document: the keccak256 of its bytes. */
export const documentHash = (bytes: Uint8Array): Hex => keccak256(bytes);

const isDocument = (kind: DocumentKind, hash: Hex) => and(eq(document.kind, kind), eq(document.hash, hash));

/** Keeps an existing value and fills an empty one. */
const keepExisting = (column: keyof DocumentFields) =>
  sql`coalesce(${document[column]}, excluded.${sql.identifier(snakeCase(column))})`;

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/**
 * Upserts a document in one statement, so concurrent publications create one row. Recorded fields never change; later
 * publications only fill empty ones.
 */
export async function saveDocument(
  db: StoreDatabase,
  kind: DocumentKind,
  { hash, bytes }: { hash: Hex; bytes: Uint8Array },
  fields: DocumentFields,
): Promise<DocumentRecord> {
  const columns = Object.keys(fields) as (keyof DocumentFields)[];
  const filled = Object.fromEntries(columns.map((column) => [column, keepExisting(column)]));
  const fillsField = sql.join(
    columns.map(
      (column) => sql`(${document[column]} IS NULL AND excluded.${sql.identifier(snakeCase(column))} IS NOT NULL)`,
    ),
    sql` OR `,
  );
  const [row] = await db
    .insert(document)
    .values({ kind, hash, bytes, sizeBytes: bytes.length, ...fields })
    .onConflictDoUpdate({
      target: [document.kind, document.hash],
      set: { ...filled, updatedAt: sql`CASE WHEN ${fillsField} THEN now() ELSE ${document.updatedAt} END` },
    })
    .returning(recordColumns);
  if (!row) throw new Error(`Document ${hash} was not stored`);
  return row;
}

/** Reads the exact bytes of a document, or null if it does not exist. */
export async function readDocument(db: StoreDatabase, kind: DocumentKind, hash: Hex): Promise<Uint8Array | null> {
  const [row] = await db.select({ bytes: document.bytes }).from(document).where(isDocument(kind, hash));
  return row?.bytes ?? null;
}

/** Reads a document's record, or null if it does not exist. */
export async function readDocumentRecord(
  db: StoreDatabase,
  kind: DocumentKind,
  hash: Hex,
): Promise<DocumentRecord | null> {
  const [row] = await db.select(recordColumns).from(document).where(isDocument(kind, hash));
  return row ?? null;
}
