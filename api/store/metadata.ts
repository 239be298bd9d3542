import { and, asc, desc, eq, isNull, or, type SQL, sql } from "drizzle-orm";
import { type Address, type Hex, keccak256 } from "viem";
import type { StoreDatabase } from "./open";
import { intentMetadata } from "./schema";

/** What an intent's metadata says; null is nothing. */
export type MetadataContent = {
  executionTarget: Address | null;
  executionData: Hex | null;
  requiredAttestationSubject: Hex | null;
  requiredAttestationSchema: Hex | null;
};

export type MetadataRow = typeof intentMetadata.$inferSelect;

/** Which intent, of whom, on which chain. */
export type MetadataKey = { chainId: number; intentHash: Hex; owner: Address };

/** What an intent commits to on chain; null is no commitment. */
export type Commitments = {
  executionTarget: Address | null;
  executionDataHash: Hex | null;
  requiredAttestationSubject: Hex | null;
  requiredAttestationSchema: Hex | null;
};

const dataHash = (data: Hex | null) => (data === null ? null : keccak256(data));

/** Names a content: what is absent differs from what is zero. */
const contentHash = (content: MetadataContent): Hex =>
  keccak256(
    Buffer.from(
      JSON.stringify([
        content.executionTarget,
        content.executionData,
        content.requiredAttestationSubject,
        content.requiredAttestationSchema,
      ]),
    ),
  );

/** The members of a content that differ from what the intent commits to. */
export function contradictions(content: MetadataContent, commitments: Commitments): string[] {
  const pairs = {
    execution_target: [content.executionTarget, commitments.executionTarget],
    execution_data: [dataHash(content.executionData), commitments.executionDataHash],
    required_attestation_subject: [content.requiredAttestationSubject, commitments.requiredAttestationSubject],
    required_attestation_schema: [content.requiredAttestationSchema, commitments.requiredAttestationSchema],
  } as const;
  return Object.entries(pairs).flatMap(([name, [value, committed]]) =>
    value !== null && committed !== null && value !== committed ? [name] : [],
  );
}

/** Rows that say nothing else than what an intent commits to. */
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

/** What the owner signed comes first, the newest of it; then what was there first. */
const preference = [
  sql`${intentMetadata.signedAt} DESC NULLS LAST`,
  asc(intentMetadata.createdAt),
  asc(intentMetadata.contentHash),
];

const belongsTo = ({ chainId, intentHash, owner }: MetadataKey) =>
  and(eq(intentMetadata.chainId, chainId), eq(intentMetadata.intentHash, intentHash), eq(intentMetadata.owner, owner));

/** An intent as far as its metadata goes. */
export type LinkedIntent = MetadataKey & { commitments: Commitments };

/** The metadata that is served for each intent, by its hash: its owner's, and nothing that contradicts the intent. */
export async function linkedMetadata(
  db: StoreDatabase,
  intents: readonly LinkedIntent[],
): Promise<Map<string, MetadataRow>> {
  if (intents.length === 0) return new Map();
  const rows = await db
    .selectDistinctOn([intentMetadata.intentHash])
    .from(intentMetadata)
    .where(or(...intents.map((one) => and(belongsTo(one), agreesWith(one.commitments)))))
    .orderBy(intentMetadata.intentHash, ...preference);
  return new Map(rows.map((row) => [row.intentHash, row]));
}

/** The metadata of an intent that is not on chain yet: somebody's who says to be its owner, the signed one if there is one. */
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

/** Stores a content beside what is there. A signature that comes with it marks it; one that came before stays. */
export async function saveMetadata(
  db: StoreDatabase,
  key: MetadataKey,
  content: MetadataContent,
  signed: boolean,
): Promise<MetadataRow> {
  const now = sql`now()`;
  const [row] = await db
    .insert(intentMetadata)
    .values({
      ...key,
      ...content,
      contentHash: contentHash(content),
      executionDataHash: dataHash(content.executionData),
      signedAt: signed ? now : null,
    })
    .onConflictDoUpdate({
      target: [intentMetadata.chainId, intentMetadata.intentHash, intentMetadata.owner, intentMetadata.contentHash],
      set: {
        signedAt: sql`coalesce(${intentMetadata.signedAt}, excluded.signed_at)`,
        updatedAt: sql`CASE WHEN ${intentMetadata.signedAt} IS NULL AND excluded.signed_at IS NOT NULL THEN now() ELSE ${intentMetadata.updatedAt} END`,
      },
    })
    .returning();
  if (!row) throw new Error(`The metadata of ${key.intentHash} was not stored`);
  return row;
}

/** Stores a content in the place of what nobody signed. */
export const replaceUnsigned = (db: StoreDatabase, key: MetadataKey, content: MetadataContent): Promise<MetadataRow> =>
  db.transaction(async (transaction) => {
    await transaction.delete(intentMetadata).where(and(belongsTo(key), isNull(intentMetadata.signedAt)));
    return saveMetadata(transaction, key, content, false);
  });

export const isSameContent = (row: MetadataRow, content: MetadataContent) => row.contentHash === contentHash(content);
