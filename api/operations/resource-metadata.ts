import { eq, placeholder, type SQL, sql } from "drizzle-orm";
import { oneOf } from "../core/inputs";
import { type Dependency, z } from "../core/operation";
import { hashText } from "../core/outputs";
import { textLiteral } from "../indexed/text-literal";
import { metadataColumns } from "../metadata/subjects";
import type { MetadataSubject } from "../offchain/resolved-metadata";
import { metadataStates, resolvedMetadata } from "../offchain/tables";

/** What the metadata URI of a record points to. Everything in it was written by the record's owner. */
const ResolvedMetadata = z
  .strictObject({
    state: z.enum(metadataStates).openapi({
      description:
        "pending: not fetched yet. verified: the content has the hash on chain. unverified: the chain has no hash. mismatch: the content has another hash. unreachable: no valid content could be fetched.",
      example: "verified",
    }),
    reason: z
      .string()
      .nullable()
      .openapi({ description: "Why the content is missing. Null if it was fetched.", example: null }),
    content_hash: hashText.nullable().openapi({ description: "keccak256 of the fetched bytes." }),
    name: z.string().nullable().openapi({ example: "Skyline Weather" }),
    description: z.string().nullable().openapi({ example: "Hourly forecasts for any city." }),
    tags: z.array(z.string()).openapi({ example: ["weather"] }),
    capabilities: z.array(z.string()).openapi({ example: ["forecast"] }),
    content: z
      .record(z.string(), z.unknown())
      .nullable()
      .openapi({ description: "The whole JSON object, unless it is missing or contradicts the chain.", example: null }),
    resolved_at: z.iso.datetime().nullable().openapi({ description: "The time of the last attempt." }),
  })
  .openapi("ResolvedMetadata");

type Metadata = z.input<typeof ResolvedMetadata>;

/** The input of an operation that adds the metadata of its record on request. */
export const includeInput = {
  include: oneOf("metadata").optional().openapi({ description: "`metadata` adds what `metadata_uri` points to." }),
};

/** The dependencies of an operation with {@link includeInput}. Metadata is in the store. */
export const storeIfIncluded =
  (...dependencies: Dependency[]) =>
  ({ include }: { include?: "metadata" | undefined }): readonly Dependency[] =>
    include ? [...dependencies, "store"] : dependencies;

/** The schema of a record with its metadata, for one resource. */
export const withMetadata = <Shape extends z.ZodRawShape>(record: z.ZodObject<Shape>, name: string) =>
  z
    .strictObject({
      ...record.shape,
      metadata: ResolvedMetadata.optional().openapi({ description: "Present with include=metadata." }),
    })
    .openapi(name);

/** Selects the stored metadata of a record, unless the chain has another URI or hash meanwhile. */
export const isMetadataOf = (subject: MetadataSubject): SQL => {
  const { id, uri, hash } = metadataColumns[subject];
  return sql`${eq(resolvedMetadata.chainId, placeholder("chainId"))} AND ${resolvedMetadata.subject} = ${textLiteral(subject)}
    AND ${resolvedMetadata.subjectId} = ${id} AND ${resolvedMetadata.uri} = ${uri}
    AND ${resolvedMetadata.hash} IS NOT DISTINCT FROM ${hash}`;
};

/** The metadata of a record in a query of its table. `chainId` is a value of the query. */
export const metadataField = (subject: MetadataSubject) => sql<Metadata | null>`(
  SELECT json_build_object(
    'state', ${resolvedMetadata.state},
    'reason', ${resolvedMetadata.reason},
    'content_hash', ${resolvedMetadata.contentHash},
    'name', ${resolvedMetadata.name},
    'description', ${resolvedMetadata.description},
    'tags', ${resolvedMetadata.tags},
    'capabilities', ${resolvedMetadata.capabilities},
    'content', ${resolvedMetadata.content}::json,
    'resolved_at', to_char(${resolvedMetadata.resolvedAt} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
  )
  FROM ${resolvedMetadata} WHERE ${isMetadataOf(subject)}
)`;

const pending: Metadata = {
  state: "pending",
  reason: null,
  content_hash: null,
  name: null,
  description: null,
  tags: [],
  capabilities: [],
  content: null,
  resolved_at: null,
};

/** The metadata in the output, if it was selected. */
export const metadataOf = (row: object & { metadata?: Metadata | null }): { metadata?: Metadata } =>
  row.metadata === undefined ? {} : { metadata: row.metadata ?? pending };
