import { type SQL, sql } from "drizzle-orm";
import { id, scalar } from "../../core/inputs";
import { operation, z } from "../../core/operation";
import { uintText } from "../../core/outputs";
import { type Placeholders, preparedQuery } from "../../indexed/prepared-query";
import { textLiteral } from "../../indexed/text-literal";
import { metadataColumns } from "../../metadata/subjects";
import type { MetadataSubject } from "../../offchain/resolved-metadata";
import { metadataStates, metadataSubjects, resolvedMetadata } from "../../offchain/tables";
import { isMetadataOf } from "../resource-metadata";

const MAX_RECORDS = 200;

type RecordKey = { type: MetadataSubject; id: bigint };

/** A record as `<type>-<id>`; undefined for other texts. */
function recordKeyOf(text: string): RecordKey | undefined {
  const [name, digits, ...rest] = text.trim().toLowerCase().split("-");
  const type = metadataSubjects.find((subject) => subject === name);
  const parsed = id.safeParse(digits);
  return type && parsed.success && rest.length === 0 ? { type, id: parsed.data } : undefined;
}

const records = scalar<string, RecordKey[]>(
  (sent) => {
    const texts = typeof sent === "string" ? sent.split(",") : [];
    const keys = texts.map(recordKeyOf).filter((key) => key !== undefined);
    return keys.length > 0 && keys.length === texts.length && keys.length <= MAX_RECORDS
      ? { value: keys }
      : {
          problem: `must be 1 to ${MAX_RECORDS} records as <type>-<id>, separated by commas, of the types ${metadataSubjects.join(", ")}`,
        };
  },
  {
    type: "string",
    description: `1 to ${MAX_RECORDS} records as type-id, separated by commas. Types: ${metadataSubjects.join(", ")}.`,
    example: "merchant-1,service-1",
  },
);

const RecordName = z
  .strictObject({
    type: z.enum(metadataSubjects),
    id: uintText,
    name: z.string().openapi({ description: "From the metadata. Anyone can use any name.", example: "Skyline Data" }),
    metadata_state: z.enum(metadataStates),
  })
  .openapi("RecordName");

/** The name of a wanted record. Only the branch of its kind runs. */
const nameOfWanted: SQL = sql.join(
  metadataSubjects.map((subject) => {
    const { table, id } = metadataColumns[subject];
    return sql`SELECT ${resolvedMetadata.name} AS name, ${resolvedMetadata.state} AS state
      FROM ${table} JOIN ${resolvedMetadata} ON ${isMetadataOf(subject)}
      WHERE wanted.subject = ${textLiteral(subject)} AND ${id} = wanted.subject_id AND ${resolvedMetadata.name} IS NOT NULL`;
  }),
  sql` UNION ALL `,
);

type Values = { chainId: number; types: string[]; ids: string[] };

const selectNames = preparedQuery((db, { types, ids }: Placeholders<Values>) =>
  db
    .select({
      type: sql<MetadataSubject>`wanted.subject`,
      id: sql<string>`wanted.subject_id`,
      name: sql<string>`record.name`,
      metadata_state: sql<(typeof metadataStates)[number]>`record.state`,
    })
    .from(
      sql`(SELECT DISTINCT * FROM unnest(${types}::text[], ${ids}::numeric[]) AS sent (subject, subject_id)) AS wanted
        CROSS JOIN LATERAL (${nameOfWanted}) AS record`,
    )
    .orderBy(sql`wanted.subject, wanted.subject_id`),
);

export const getNames = operation({
  route: "GET /names",
  summary: "The names of up to 200 records at once.",
  description: "From their metadata. Records without a name are omitted.",
  input: z.object({ records }),
  output: z.strictObject({ names: z.array(RecordName) }).openapi("RecordNames"),
  example: { records: "merchant-1,service-1" },
  dependsOn: ["index", "store"],
  async run({ db, store, config }, { records }) {
    await store();
    return {
      names: await selectNames(db, {
        chainId: config.chainId,
        types: records.map(({ type }) => type),
        ids: records.map(({ id }) => String(id)),
      }),
    };
  },
});
