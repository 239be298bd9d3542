import { and, asc, desc, eq, isNull, or, type SQL, sql } from "drizzle-orm";
import type { Address, Hex } from "viem";
import { keccak256 } from "./keccak";
import type { StoreDatabase } from "./open";
import { intentMetadata } from "./tables";

/** The content of an intent's metadata. Null means unset. */
export type MetadataContent = {
  executionTarget: Address | null;
  executionData: Hex | null;
  requiredAttestationSubject: Hex | null;
  requiredAttestationSchema: Hex | null;
};

export type MetadataRow = typeof intentMetadata.$inferSelect;

export type MetadataKey = { chainId: number; intentHash: Hex; owner: Address };

/** An intent's on-chain commitments. Null means no commitment. */
export type Commitments = {
  executionTarget: Address | null;
  executionDataHash: Hex | null;
  requiredAttestationSubject: Hex | null;
  requiredAttestationSchema: Hex | null;
};

const dataHash = (data: Hex | null) => (data === null ? null : keccak256(Buffer.from(data.slice(2), "hex")));

/** A content with the hash that identifies it. Unset and zero values hash differently. */
export type HashedContent = MetadataContent & Pick<MetadataRow, "contentHash" | "executionDataHash">;

export const hashContent = (content: MetadataContent): HashedContent => {
  const { executionTarget, executionData, requiredAttestationSubject, requiredAttestationSchema } = content;
  const fields = [executionTarget, executionData, requiredAttestationSubject, requiredAttestationSchema];
  const contentHash = keccak256(Buffer.from(JSON.stringify(fields)));
  return { ...content, contentHash, executionDataHash: dataHash(executionData) };
};

/** The fields of a content that conflict with the intent's on-chain commitments. */
export function contradictions(content: MetadataContent, commitments: Commitments): string[] {
  const pairs = {
    execution_target: [content.executionTarget, commitments.executionTarget],
    execution_data: [commitments.executionDataHash && dataHash(content.executionData), commitments.executionDataHash],
    required_attestation_subject: [content.requiredAttestationSubject, commitments.requiredAttestationSubject],
    required_attestation_schema: [content.requiredAttestationSchema, commitments.requiredAttestationSchema],
  } as const;
  return Object.entries(pairs).flatMap(([name, [value, committed]]) =>
    value !== null && committed !== null && value !== committed ? [name] : [],
  );
}

/** Selects rows that do not conflict with an intent's commitments. */
function agreesWith(commitments: Commitments): SQL | undefined {
  const agrees = (column: Parameters<typeof isNull>[0] & object, committed: Hex | null) =>
    committed === null ? undefined : or(isNull(column), sql`${column} = ${committed}`);
  return and(
    agrees(intentMetadata.executionTarget, commitments.executionTarget),
    agrees(intentMetadata.executionDataHash, commitments.executionDataHash),
    agrees(intentMetadata.requiredAttestationSubject, commitments.requiredAttestationSubject),
    agrees(intentMetadata.requiredAttestationSchema, commitments.requiredAttestationSchema),
  );
}

/** Signed content first, newest first; then unsigned content, oldest first. */
export const preference = [
  sql`${intentMetadata.signedAt} DESC NULLS LAST`,
  asc(intentMetadata.createdAt),
  asc(intentMetadata.contentHash),
];

const belongsTo = ({ chainId, intentHash, owner }: MetadataKey) =>
  and(eq(intentMetadata.chainId, chainId), eq(intentMetadata.intentHash, intentHash), eq(intentMetadata.owner, owner));

/** The part of an intent that decides which metadata is served. */
export type LinkedIntent = MetadataKey & { commitments: Commitments };

/** Reads the metadata to serve for an intent: submitted for its owner and without conflicts. */
export async function linkedMetadata(
  db: StoreDatabase,
  { commitments, ...key }: LinkedIntent,
): Promise<MetadataRow | undefined> {
  const [row] = await db
    .select()
    .from(intentMetadata)
    .where(and(belongsTo(key), agreesWith(commitments)))
    .orderBy(...preference)
    .limit(1);
  return row;
}

/** Reads the metadata of an intent that is not on chain yet. The owner is unverified unless the row is signed. */
export async function reservedMetadata(
  db: StoreDatabase,
  chainId: number,
  intentHash: Hex,
  owner?: Address,
): Promise<MetadataRow | null> {
  const [row] = await db
    .select()
    .from(intentMetadata)
    .where(
      and(
        eq(intentMetadata.chainId, chainId),
        eq(intentMetadata.intentHash, intentHash),
        owner && eq(intentMetadata.owner, owner),
      ),
    )
    .orderBy(...preference, desc(intentMetadata.owner))
    .limit(1);
  return row ?? null;
}

/**
 * Runs `write` while no other write of this metadata runs, in one transaction. What `write` reads of it stays current until
 * it commits.
 */
export const oneWriteAtATime = <Value>(
  db: StoreDatabase,
  { chainId, intentHash, owner }: MetadataKey,
  write: (transaction: StoreDatabase) => Promise<Value>,
): Promise<Value> =>
  db.transaction(async (transaction) => {
    const key = `intent_metadata ${chainId} ${intentHash} ${owner}`;
    await transaction.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(${key}, 0))`);
    return write(transaction);
  });

/** Whether this content is stored already. */
export async function isStored(db: StoreDatabase, key: MetadataKey, { contentHash }: HashedContent): Promise<boolean> {
  const rows = await db
    .select({ owner: intentMetadata.owner })
    .from(intentMetadata)
    .where(and(belongsTo(key), eq(intentMetadata.contentHash, contentHash)));
  return rows.length > 0;
}

/** Upserts a content next to existing ones. `signed` sets `signedAt` once; it is never cleared. */
export async function saveMetadata(
  db: StoreDatabase,
  key: MetadataKey,
  content: HashedContent,
  signed: boolean,
): Promise<MetadataRow> {
  // Not `now()`, the time at which the transaction began to wait for its turn.
  const now = sql`clock_timestamp()`;
  const [row] = await db
    .insert(intentMetadata)
    .values({
      ...key,
      ...content,
      signedAt: signed ? now : null,
      createdAt: now,
      updatedAt: now,
    })
    .onConflictDoUpdate({
      target: [intentMetadata.chainId, intentMetadata.intentHash, intentMetadata.owner, intentMetadata.contentHash],
      set: {
        signedAt: sql`coalesce(${intentMetadata.signedAt}, excluded.signed_at)`,
        updatedAt: sql`CASE WHEN ${intentMetadata.signedAt} IS NULL AND excluded.signed_at IS NOT NULL THEN excluded.updated_at ELSE ${intentMetadata.updatedAt} END`,
      },
    })
    .returning();
  if (!row) throw new Error(`The metadata of ${key.intentHash} was not stored`);
  return row;
}

/** Replaces all unsigned content with this one. */
export async function replaceUnsigned(
  transaction: StoreDatabase,
  key: MetadataKey,
  content: HashedContent,
): Promise<MetadataRow> {
  await transaction.delete(intentMetadata).where(and(belongsTo(key), isNull(intentMetadata.signedAt)));
  return saveMetadata(transaction, key, content, false);
}

export const isSameContent = (row: MetadataRow, { contentHash }: HashedContent) => row.contentHash === contentHash;
