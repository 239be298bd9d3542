import { eq, placeholder, type SQL, sql } from "drizzle-orm";
import type { BaseContext } from "../core/context";
import { NotFound } from "../core/errors";
import { id, oneOf } from "../core/inputs";
import { type Operation, operation, z } from "../core/operation";
import { hashText } from "../core/outputs";
import type { Selectable } from "../indexed/database";
import { type Placeholders, preparedQuery, type Query } from "../indexed/prepared-query";
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

/** Selects the stored metadata of a record, unless the chain has another URI or hash meanwhile. */
export const isMetadataOf = (subject: MetadataSubject): SQL => {
  const { id, uri, hash } = metadataColumns[subject];
  return sql`${eq(resolvedMetadata.chainId, placeholder("chainId"))} AND ${resolvedMetadata.subject} = ${textLiteral(subject)}
    AND ${resolvedMetadata.subjectId} = ${id} AND ${resolvedMetadata.uri} = ${uri}
    AND ${resolvedMetadata.hash} IS NOT DISTINCT FROM ${hash}`;
};

/** The metadata of a record in a query of its table. `chainId` is a value of the query. */
const metadataField = (subject: MetadataSubject) => sql<Metadata | null>`(
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

/** The field with the metadata of a record, for its query. */
type MetadataField = { metadata: SQL<Metadata | null> };

/** The placeholders of a record's query. */
type Values = Placeholders<{ id: bigint; now: bigint }>;

type RecordDefinition<Shape extends z.ZodRawShape, Row, IdName extends string> = {
  route: `GET /${string}`;
  summary: string;
  description?: string;
  subject: MetadataSubject;
  item: z.ZodObject<Shape>;
  /** The name of the item with its metadata. */
  name: string;
  /** The parameter with the id, in the path. */
  idName: IdName;
  /** Whether the query uses the time. */
  usesTime?: true;
  /** Selects the record, with a further field. */
  query: (
    db: Selectable,
    values: Values,
    metadata: MetadataField,
  ) => Query<NoInfer<Row> & { metadata: Metadata | null }>;
  toWire: (row: Row) => z.input<z.ZodObject<Shape>>;
};

/** Creates the operation that reads one record of a resource. With `include=metadata`, it adds what its `metadata_uri` points to. */
export function recordOperation<Shape extends z.ZodRawShape, Row, const IdName extends string>(
  definition: RecordDefinition<Shape, Row, IdName>,
) {
  const { route, summary, description, subject, item, name, idName, usesTime, query, toWire } = definition;
  const input = z.object({
    [idName]: id,
    include: oneOf("metadata").optional().openapi({ description: "`metadata` adds what `metadata_uri` points to." }),
  } as { [Name in IdName]: typeof id } & { include: z.ZodOptional<ReturnType<typeof oneOf<"metadata">>> });
  const output = z
    .strictObject({
      ...item.shape,
      metadata: ResolvedMetadata.optional().openapi({ description: "Present with include=metadata." }),
    })
    .openapi(name);
  const dependencies = usesTime ? (["index", "time"] as const) : (["index"] as const);
  const find = preparedQuery((db, values: Values) => query(db, values, {} as MetadataField));
  const metadata = metadataField(subject);
  const findWithMetadata = preparedQuery((db, values: Values) => query(db, values, { metadata }));
  const run = async (context: BaseContext, sent: Record<string, unknown>) => {
    const { db, config } = context;
    const { [idName]: value, include } = sent;
    const now = usesTime ? (await context.clock()).now : 0n;
    if (include) await context.store();
    const values = { id: value as bigint, now, chainId: config.chainId };
    const [row] = await (include ? findWithMetadata : find)(db, values);
    if (!row) throw new NotFound(`${subject[0]?.toUpperCase()}${subject.slice(1)} ${value} not found`);
    return { ...toWire(row), ...(include !== undefined && { metadata: row.metadata ?? pending }) };
  };
  return operation({
    route,
    summary,
    ...(description && { description }),
    input,
    output,
    errors: [404],
    example: { [idName]: "1" },
    dependsOn: ({ include }: { include?: "metadata" }) => (include ? [...dependencies, "store"] : dependencies),
    run,
  } as never as Operation<typeof input, typeof output>);
}
