import { and, desc, eq, getTableColumns, isNull, or, placeholder, sql } from "drizzle-orm";
import { type Address, type Hex, recoverTypedDataAddress, zeroAddress, zeroHash } from "viem";
import { intentMetadataTypedData } from "../../common/intent-metadata";
import { intent } from "../../ponder.schema";
import { BadInput, Conflict, NotFound, Unavailable } from "../core/errors";
import { address, bytes, hash, id } from "../core/inputs";
import { countBytes, textBytes } from "../core/limits";
import { type Caller, operation, z } from "../core/operation";
import { addressText, bytesText, hashText, uintText } from "../core/outputs";
import { type Placeholders, preparedQuery } from "../indexed/prepared-query";
import {
  contradictions,
  type HashedContent,
  hashContent,
  isSameContent,
  isStored,
  type LinkedIntent,
  linkedMetadata,
  type MetadataContent,
  type MetadataKey,
  type MetadataRow,
  oneWriteAtATime,
  preference,
  replaceUnsigned,
  reservedMetadata,
  saveMetadata,
} from "../offchain/intent-metadata";
import type { StoreDatabase } from "../offchain/open";
import { intentMetadata } from "../offchain/tables";
import type { Context } from "./context";

const contentInput = {
  execution_target: address.optional(),
  execution_data: bytes.optional(),
  required_attestation_subject: hash.optional(),
  required_attestation_schema: hash.optional(),
  owner_signature: bytes
    .optional()
    .openapi({ description: "The owner's EIP-712 signature of the metadata. In REST, the header x-owner-signature." }),
};

/** The client of the public deployment sends the whole metadata, of which the chain has the URI's hash. */
const sentByOtherClients = ["metadata_uri"];

const contentOutput = {
  execution_target: addressText.nullable(),
  execution_data: bytesText.nullable(),
  required_attestation_subject: hashText.nullable(),
  required_attestation_schema: hashText.nullable(),
};

/** The metadata field of an intent. */
export const IntentMetadata = z.strictObject(contentOutput).openapi("IntentMetadata");

const MetadataRecord = z
  .strictObject({
    intent_hash: hashText,
    intent_id: uintText.nullable().openapi({ description: "Null while the intent is not indexed." }),
    owner: addressText,
    ...contentOutput,
    signed: z.boolean().openapi({ description: "Whether the owner signed it." }),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .openapi("IntentMetadataRecord");

const contentToWire = (row: MetadataRow): z.input<typeof IntentMetadata> => ({
  execution_target: row.executionTarget,
  execution_data: row.executionData,
  required_attestation_subject: row.requiredAttestationSubject,
  required_attestation_schema: row.requiredAttestationSchema,
});

const toWire = (row: MetadataRow, intentId: bigint | null): z.input<typeof MetadataRecord> => ({
  intent_hash: row.intentHash,
  intent_id: intentId === null ? null : String(intentId),
  owner: row.owner,
  ...contentToWire(row),
  signed: row.signedAt !== null,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
});

type IntentRow = typeof intent.$inferSelect;

/** Selects metadata that is stored for an intent's owner and does not conflict with the intent's commitments. */
const isLinked = and(
  eq(intentMetadata.intentHash, intent.intentHash),
  eq(intentMetadata.owner, intent.owner),
  ...[
    [intentMetadata.executionTarget, intent.executionTarget, zeroAddress] as const,
    [intentMetadata.executionDataHash, intent.executionDataHash, zeroHash] as const,
    [intentMetadata.requiredAttestationSubject, intent.requiredAttestationSubject, zeroHash] as const,
    [intentMetadata.requiredAttestationSchema, intent.requiredAttestationSchema, zeroHash] as const,
  ].map(([stored, committed, zero]) => or(eq(committed, zero), isNull(stored), eq(stored, committed))),
);

/** The metadata field of an intent in a query that joins other tables. `chainId` is a value of the query. */
export const linkedMetadataField = sql<z.input<typeof IntentMetadata> | null>`(
  SELECT json_build_object(
    'execution_target', ${intentMetadata.executionTarget},
    'execution_data', ${intentMetadata.executionData},
    'required_attestation_subject', ${intentMetadata.requiredAttestationSubject},
    'required_attestation_schema', ${intentMetadata.requiredAttestationSchema}
  )
  FROM ${intentMetadata}
  WHERE ${and(eq(intentMetadata.chainId, placeholder("chainId")), isLinked)}
  ORDER BY ${sql.join([...preference], sql`, `)}
  LIMIT 1
)`;

/** Returns null for zero, which means no commitment on chain. */
export const unlessZero = (value: Hex) => (value === zeroHash || value === zeroAddress ? null : value);

/** The key and the on-chain commitments of an indexed intent. */
const linkedIntent = (chainId: number, row: IntentRow): LinkedIntent => ({
  chainId,
  intentHash: row.intentHash,
  owner: row.owner,
  commitments: {
    executionTarget: unlessZero(row.executionTarget),
    executionDataHash: unlessZero(row.executionDataHash),
    requiredAttestationSubject: unlessZero(row.requiredAttestationSubject),
    requiredAttestationSchema: unlessZero(row.requiredAttestationSchema),
  },
});

type SentContent = {
  execution_target?: Address;
  execution_data?: Hex;
  required_attestation_subject?: Hex;
  required_attestation_schema?: Hex;
};

const asSent = (sent: SentContent): MetadataContent => ({
  executionTarget: sent.execution_target ?? null,
  executionData: sent.execution_data ?? null,
  requiredAttestationSubject: sent.required_attestation_subject ?? null,
  requiredAttestationSchema: sent.required_attestation_schema ?? null,
});

/** Stores zero and empty values as null: in the signed typed data they are the same. */
function contentOf(sent: SentContent): MetadataContent {
  const { executionTarget, executionData, requiredAttestationSubject, requiredAttestationSchema } = asSent(sent);
  return {
    executionTarget: executionTarget && unlessZero(executionTarget),
    executionData: executionData === "0x" ? null : executionData,
    requiredAttestationSubject: requiredAttestationSubject && unlessZero(requiredAttestationSubject),
    requiredAttestationSchema: requiredAttestationSchema && unlessZero(requiredAttestationSchema),
  };
}

/** Whether the metadata has the owner's signature. Throws {@link BadInput} for any other signature. */
async function isSigned(
  { clients, config }: Context,
  key: MetadataKey,
  content: MetadataContent,
  signature: Hex | undefined,
): Promise<boolean> {
  if (signature === undefined) return false;
  const typedData = intentMetadataTypedData(key, config.contracts.IntentBook, content);
  const signer = await recoverTypedDataAddress({ ...typedData, signature }).catch(() => null);
  if (signer?.toLowerCase() === key.owner) return true;
  // Throws if the chain is unavailable. viem's verification would return false instead.
  const code = await clients.chain.getCode({ address: key.owner }).catch((cause: unknown) => {
    throw new Unavailable("The chain is unavailable, so the owner's signature can't be verified; try again shortly", {
      cause,
    });
  });
  if (code && (await clients.chain.verifyTypedData({ ...typedData, address: key.owner, signature }))) return true;
  throw new BadInput("x-owner-signature: is not the owner's signature of this metadata");
}

/** Stores metadata of an indexed intent, unless it contradicts the intent or may not replace its current metadata. */
async function saveForIntent(
  context: Context,
  row: IntentRow,
  sent: SentContent,
  signature: Hex | undefined,
  caller: Caller,
): Promise<MetadataRow> {
  const { config, store } = context;
  const content = hashContent(contentOf(sent));
  const linked = linkedIntent(config.chainId, row);
  const { commitments, ...key } = linked;
  const wrong = contradictions(asSent(sent), commitments);
  if (wrong.length > 0)
    throw new Conflict(`${wrong.join(", ")}: differs from the on-chain commitment of intent ${row.intentId}`);
  const signed = await isSigned(context, key, content, signature);
  return oneWriteAtATime(await store(), key, async (db) => {
    const present = await linkedMetadata(db, linked);
    if (!signed && present && !isSameContent(present, content)) {
      if (present.signedAt !== null) throw new Conflict("The owner has signed other metadata for this intent");
      if (!config.openMetadata)
        throw new Conflict("This intent has other metadata; only metadata signed by the owner can replace it");
      await countContent(context, db, caller, key, content);
      return replaceUnsigned(db, key, content);
    }
    await countContent(context, db, caller, key, content);
    const saved = await saveMetadata(db, key, content, signed);
    requireNewest(await linkedMetadata(db, linked), content, signed);
    return saved;
  });
}

/** Counts the bytes of a content that is not stored yet. */
async function countContent(
  { config }: Context,
  db: StoreDatabase,
  caller: Caller,
  key: MetadataKey,
  content: HashedContent,
): Promise<void> {
  if (!(await isStored(db, key, content))) await countBytes(db, config, caller, textBytes({ ...key, ...content }));
}

/** Throws {@link Conflict} if signed metadata is not served, because the owner signed other metadata after it. */
function requireNewest(served: MetadataRow | null | undefined, content: HashedContent, signed: boolean): void {
  if (signed && served && !isSameContent(served, content))
    throw new Conflict("The owner has since signed other metadata for this intent");
}

async function findIntent({ db }: Context, where: Parameters<typeof eq>): Promise<IntentRow | null> {
  const [row] = await db
    .select()
    .from(intent)
    .where(eq(...where));
  return row ?? null;
}

const putMetadata = operation({
  route: "PUT /intents/{id}/metadata",
  summary: "Stores the off-chain metadata of an indexed intent.",
  description: "It must match the intent's on-chain commitments.",
  input: z.object({ id, ...contentInput }),
  output: MetadataRecord,
  errors: [401, 404, 409, 429],
  example: { id: "1", execution_target: "0x70997970c51812dc3a010c7d01b50e0d17dc79c8" },
  writes: true,
  headers: { "x-owner-signature": "owner_signature" },
  ignored: sentByOtherClients,
  dependsOn: ["index", "store", "untracked"],
  async run(context: Context, { id, owner_signature, ...sent }, caller) {
    const row = await findIntent(context, [intent.intentId, id]);
    if (!row) throw new NotFound(`Intent ${id} not found`);
    return toWire(await saveForIntent(context, row, sent, owner_signature, caller), row.intentId);
  },
});

const reserveMetadata = operation({
  route: "POST /intents/metadata",
  summary: "Stores metadata of an intent that is not on chain yet.",
  description: "The metadata and the intent are linked by the intent's hash and owner.",
  input: z.object({ intent_hash: hash, owner: address, ...contentInput }),
  output: MetadataRecord,
  errors: [401, 409, 429],
  example: {
    intent_hash: `0x${"1f".repeat(32)}`,
    owner: "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
    execution_data: "0xa9059cbb",
  },
  writes: true,
  status: 201,
  headers: { "x-owner-signature": "owner_signature" },
  ignored: sentByOtherClients,
  dependsOn: ["index", "store", "untracked"],
  async run(context: Context, { intent_hash: intentHash, owner, owner_signature, ...sent }, caller) {
    const row = await findIntent(context, [intent.intentHash, intentHash]);
    if (row) {
      if (row.owner !== owner)
        throw new Conflict(`owner: must be ${row.owner}, the owner of intent ${row.intentId} with this hash`);
      return toWire(await saveForIntent(context, row, sent, owner_signature, caller), row.intentId);
    }
    const { chainId } = context.config;
    const key: MetadataKey = { chainId, intentHash, owner };
    const content = hashContent(contentOf(sent));
    const signed = await isSigned(context, key, content, owner_signature);
    const saved = await oneWriteAtATime(await context.store(), key, async (db) => {
      const present = await reservedMetadata(db, chainId, intentHash, owner);
      if (!signed && present && present.signedAt !== null && !isSameContent(present, content))
        throw new Conflict("The owner has signed other metadata for this intent");
      await countContent(context, db, caller, key, content);
      const row = await saveMetadata(db, key, content, signed);
      requireNewest(await reservedMetadata(db, chainId, intentHash, owner), content, signed);
      return row;
    });
    return toWire(saved, null);
  },
});

/** Selects the metadata to serve for an intent's hash. While the intent is not indexed, its owner is not verified. */
const selectMetadata = preparedQuery(
  (db, { chainId, intentHash, owner }: Placeholders<{ chainId: number; intentHash: Hex; owner: Address | null }>) =>
    db
      .select({ metadata: getTableColumns(intentMetadata), intentId: intent.intentId })
      .from(intentMetadata)
      .leftJoin(intent, eq(intent.intentHash, intentMetadata.intentHash))
      .where(
        and(
          eq(intentMetadata.chainId, chainId),
          eq(intentMetadata.intentHash, intentHash),
          eq(intentMetadata.owner, sql`coalesce(${owner}, ${intentMetadata.owner})`),
          or(isNull(intent.intentId), isLinked),
        ),
      )
      .orderBy(...preference, desc(intentMetadata.owner))
      .limit(1),
);

const getMetadata = operation({
  route: "GET /intents/metadata/{intentHash}",
  summary: "The off-chain metadata of an intent by the intent's hash.",
  description: "Also before the intent is on chain.",
  input: z.object({
    intentHash: hash,
    owner: address.optional().openapi({
      description:
        "The intent's owner. Before the intent is on chain, anyone can store metadata for its hash: set this field to read only the owner's.",
    }),
  }),
  output: MetadataRecord,
  errors: [404],
  example: { intentHash: `0x${"1f".repeat(32)}` },
  dependsOn: ["index", "store"],
  async run(context: Context, { intentHash, owner }) {
    const { chainId } = context.config;
    await context.store();
    const [found] = await selectMetadata(context.db, { chainId, intentHash, owner: owner ?? null });
    if (!found) throw new NotFound(`Metadata of intent hash ${intentHash} not found`);
    return toWire(found.metadata, found.intentId);
  },
});

export const metadataOfIntents = { metadata: getMetadata, putMetadata, reserveMetadata };
