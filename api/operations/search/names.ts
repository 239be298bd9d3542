import { type SQL, sql } from "drizzle-orm";
import { address, id, scalar } from "../../core/inputs";
import { operation, z } from "../../core/operation";
import { addressText, uintText } from "../../core/outputs";
import { type Placeholders, preparedQuery } from "../../indexed/prepared-query";
import { textLiteral } from "../../indexed/text-literal";
import { metadataColumns } from "../../metadata/subjects";
import type { MetadataSubject } from "../../offchain/resolved-metadata";
import { metadataStates, metadataSubjects, resolvedMetadata } from "../../offchain/tables";
import { isMetadataOf } from "../resource-metadata";
import { addressColumns } from "./candidates";

const MAX_RECORDS = 200;

type RecordKey = { type: MetadataSubject; id: bigint } | { type: "account"; account: string };

const askedTypes = [...metadataSubjects, "account"] as const;

/** A record as `<type>-<id>`, or an account as `account-<address>`; undefined for other texts. */
function recordKeyOf(text: string): RecordKey | undefined {
  const [name, value, ...rest] = text.trim().toLowerCase().split("-");
  const type = askedTypes.find((asked) => asked === name);
  if (!type || rest.length > 0) return undefined;
  if (type === "account") {
    const account = address.safeParse(value);
    return account.success ? { type, account: account.data } : undefined;
  }
  const parsed = id.safeParse(value);
  return parsed.success ? { type, id: parsed.data } : undefined;
}

const records = scalar<string, RecordKey[]>(
  (sent) => {
    const texts = typeof sent === "string" ? sent.split(",") : [];
    const keys = texts.map(recordKeyOf).filter((key) => key !== undefined);
    return keys.length > 0 && keys.length === texts.length && keys.length <= MAX_RECORDS
      ? { value: keys }
      : {
          problem: `must be 1 to ${MAX_RECORDS} records as <type>-<id> or account-<address>, separated by commas, of the types ${askedTypes.join(", ")}`,
        };
  },
  {
    type: "string",
    description: `1 to ${MAX_RECORDS} records as type-id, or accounts as account-address, separated by commas. Types: ${metadataSubjects.join(", ")}.`,
    example: "merchant-1,service-1",
  },
);

/** The kinds of records that an address acts for. The first one with a name names it. */
const kindsOfAccounts = ["solver", "merchant", "agent", "attestor", "facilitator"] as const;

const RecordName = z
  .strictObject({
    type: z.enum(metadataSubjects),
    id: uintText,
    name: z.string().openapi({ description: "From the metadata. Anyone can use any name.", example: "Skyline Data" }),
    metadata_state: z.enum(metadataStates),
    account: addressText.optional().openapi({
      description: `The requested account, which operates or owns the record, or is its facilitator address. Of several: the first with a name among its first ${kindsOfAccounts.join(", ")}. Absent for records requested by id.`,
    }),
  })
  .openapi("RecordName");

const union = (branches: readonly SQL[]) => sql.join([...branches], sql` UNION ALL `);

const nameColumns = sql`${resolvedMetadata.name} AS name, ${resolvedMetadata.state} AS state`;

/** The name of a wanted record. Only the branch of its kind runs. */
const nameOfWanted = union(
  metadataSubjects.map((subject) => {
    const { table, id } = metadataColumns[subject];
    return sql`SELECT ${nameColumns} FROM ${table} JOIN ${resolvedMetadata} ON ${isMetadataOf(subject)}
      WHERE wanted.subject = ${textLiteral(subject)} AND ${id} = wanted.subject_id AND ${resolvedMetadata.name} IS NOT NULL`;
  }),
);

/** The record that names an account. Only the first record of each kind is read: an account can own any number. */
const namedByAccount = union(
  kindsOfAccounts.map((subject, rank) => {
    const { table, id } = metadataColumns[subject];
    const owner = addressColumns[subject];
    return sql`SELECT ${sql.raw(String(rank))} AS rank, ${textLiteral(subject)}::text AS subject, ${id} AS subject_id, ${nameColumns}
      FROM ${table} JOIN ${resolvedMetadata} ON ${isMetadataOf(subject)}
      WHERE ${id} = (SELECT ${id} FROM ${table} WHERE ${owner} = sent.account ORDER BY ${id} LIMIT 1) AND ${resolvedMetadata.name} IS NOT NULL`;
  }),
);

type Values = { chainId: number; types: string[]; ids: string[]; accounts: string[] };

const selectNames = preparedQuery((db, { types, ids, accounts }: Placeholders<Values>) =>
  db
    .select({
      type: sql<MetadataSubject>`named.subject`,
      id: sql<string>`named.subject_id`,
      name: sql<string>`named.name`,
      metadata_state: sql<(typeof metadataStates)[number]>`named.state`,
      account: sql<string | null>`named.account`,
    })
    .from(
      sql`(
        SELECT wanted.subject, wanted.subject_id, record.name, record.state, NULL::text AS account
        FROM (SELECT DISTINCT * FROM unnest(${types}::text[], ${ids}::numeric[]) AS sent (subject, subject_id)) AS wanted
          CROSS JOIN LATERAL (${nameOfWanted}) AS record
        UNION ALL
        SELECT record.subject, record.subject_id, record.name, record.state, sent.account
        FROM (SELECT DISTINCT unnest(${accounts}::text[]) AS account) AS sent
          CROSS JOIN LATERAL (SELECT * FROM (${namedByAccount}) AS candidate ORDER BY rank LIMIT 1) AS record
      ) AS named`,
    )
    .orderBy(sql`named.account NULLS FIRST, named.subject, named.subject_id`),
);

export const getNames = operation({
  route: "GET /names",
  summary: "The names of up to 200 records at once.",
  description:
    "From their metadata. An account has the name of a record that it acts for. Those without a name are omitted.",
  input: z.object({ records }),
  output: z.strictObject({ names: z.array(RecordName) }).openapi("RecordNames"),
  example: { records: "merchant-1,service-1" },
  dependsOn: ["index", "store"],
  async run({ db, store, config }, { records }) {
    await store();
    const byId = records.filter((key) => key.type !== "account");
    const names = await selectNames(db, {
      chainId: config.chainId,
      types: byId.map(({ type }) => type),
      ids: byId.map(({ id }) => String(id)),
      accounts: records.flatMap((key) => (key.type === "account" ? [key.account] : [])),
    });
    return { names: names.map(({ account, ...named }) => ({ ...named, ...(account !== null && { account }) })) };
  },
});
