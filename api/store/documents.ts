import { and, eq, getTableColumns, sql } from "drizzle-orm";
import { type Hex, keccak256 } from "viem";
import type { StoreDatabase } from "./open";
import { document, type documentKinds } from "./schema";

export type DocumentKind = (typeof documentKinds)[number];

/** What is recorded about a document beside its bytes. */
export type DocumentFields = Pick<
  typeof document.$inferSelect,
  "merchantId" | "serviceId" | "serviceNumericId" | "requestId" | "requestHash" | "agent"
>;

/** Everything about a document but its bytes. */
export type DocumentRecord = Omit<typeof document.$inferSelect, "bytes">;

const { bytes: _, ...recordColumns } = getTableColumns(document);

/** The name of a document: the keccak256 of its bytes. */
export const documentHash = (bytes: Uint8Array): Hex => keccak256(bytes);

const named = (kind: DocumentKind, hash: Hex) => and(eq(document.kind, kind), eq(document.hash, hash));

/** The value that is there, or else the one that is new. */
const firstOf = (column: keyof DocumentFields) =>
  sql`coalesce(${document[column]}, excluded.${sql.identifier(snakeCase(column))})`;

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/**
 * Stores a document, in one statement, so that publishing it many times at once makes one row. What was recorded first
 * stays: a later publisher fills what is empty and changes nothing else.
 */
export async function saveDocument(
  db: StoreDatabase,
  kind: DocumentKind,
  bytes: Uint8Array,
  fields: DocumentFields,
): Promise<DocumentRecord> {
  const hash = documentHash(bytes);
  const columns = Object.keys(fields) as (keyof DocumentFields)[];
  const filled = Object.fromEntries(columns.map((column) => [column, firstOf(column)]));
  const addsSomething = sql.join(
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
      set: { ...filled, updatedAt: sql`CASE WHEN ${addsSomething} THEN now() ELSE ${document.updatedAt} END` },
    })
    .returning(recordColumns);
  if (!row) throw new Error(`Document ${hash} was not stored`);
  return row;
}

/** The exact bytes of a document, or null when there is none. */
export async function readDocument(db: StoreDatabase, kind: DocumentKind, hash: Hex): Promise<Uint8Array | null> {
  const [row] = await db.select({ bytes: document.bytes }).from(document).where(named(kind, hash));
  return row?.bytes ?? null;
}

/** What is recorded about a document, or null when there is none. */
export async function readDocumentRecord(
  db: StoreDatabase,
  kind: DocumentKind,
  hash: Hex,
): Promise<DocumentRecord | null> {
  const [row] = await db.select(recordColumns).from(document).where(named(kind, hash));
  return row ?? null;
}
