import { isDeepStrictEqual } from "node:util";
import { eq, getTableColumns, or, sql } from "drizzle-orm";
import { type Hex, keccak256, stringToBytes } from "viem";
import { BadInput, Conflict, NotFound, TooLarge } from "../core/errors";
import { hash, jsonObject, longText, scalar, shortText } from "../core/inputs";
import { countBytes, textBytes } from "../core/limits";
import { listOperation } from "../core/list";
import { operation, z } from "../core/operation";
import { hashText } from "../core/outputs";
import type { Selectable } from "../indexed/database";
import { type Placeholders, preparedQuery } from "../indexed/prepared-query";
import { boundsProblem } from "../json-schema/bounds";
import { createJsonSchemaChecker } from "../json-schema/checker";
import { attestationSchema } from "../offchain/tables";
import { aliasesOf, hashOfAlias } from "./builtin-schemas";

const MAX_SCHEMA_BYTES = 128 * 1024;

/** Lists contain the `json_schema` of smaller schemas only, so that a page of 100 has at most 400 KiB. */
const MAX_LISTED_BYTES = 4 * 1024;

const fields = {
  schema_hash: hashText,
  aliases: z.array(hashText),
  name: z.string().openapi({ example: "solver_reputation" }),
  description: z.string().nullable(),
  json_schema: z.record(z.string(), z.unknown()).openapi({ example: { type: "object" } }),
  recommended_subject: z.string().nullable().openapi({ example: "solver" }),
  builtin: z.boolean(),
  created_at: z.iso.datetime(),
};

const Schema = z.strictObject(fields).openapi("AttestationSchema");

const ListedSchema = z
  .strictObject({
    ...fields,
    json_schema: fields.json_schema.nullable().openapi({
      description: `Null if it has more than ${MAX_LISTED_BYTES} bytes. Then read it with GET /attestations/schemas/{schemaHash}.`,
    }),
  })
  .openapi("ListedAttestationSchema");

type Row = typeof attestationSchema.$inferSelect;

type ListedRow = Omit<Row, "jsonSchema"> & { jsonSchema: string | null };

const withoutBody = (row: ListedRow) => ({
  schema_hash: row.schemaHash,
  aliases: aliasesOf(row),
  name: row.name,
  description: row.description,
  recommended_subject: row.recommendedSubject,
  builtin: row.builtin,
  created_at: row.createdAt.toISOString(),
});

const toWire = (row: Row): z.input<typeof Schema> => ({
  ...withoutBody(row),
  json_schema: JSON.parse(row.jsonSchema),
});

const listedToWire = (row: ListedRow): z.input<typeof ListedSchema> => ({
  ...withoutBody(row),
  json_schema: row.jsonSchema === null ? null : JSON.parse(row.jsonSchema),
});

const nameText = scalar<string, string>(
  (sent) =>
    typeof sent === "string" && /^[a-z0-9_-]{1,64}$/.test(sent)
      ? { value: sent }
      : { problem: "must be 1 to 64 characters of a-z, 0-9, _ and -" },
  { type: "string", pattern: "^[a-z0-9_-]{1,64}$", example: "price_feed" },
);

/** A schema of bounded size. Its validation takes longer and follows in a worker thread, after the write was counted. */
const schemaObject = jsonObject.superRefine((schema, context) => {
  const message = boundsProblem(schema);
  if (message) context.addIssue({ code: "custom", message });
});

const schemaProblem = createJsonSchemaChecker();

const listSchemas = listOperation({
  route: "GET /attestations/schemas",
  summary: "Attestation schemas, by name.",
  description: "The json_schema of a large schema is null in the list.",
  name: "schemas",
  item: ListedSchema,
  filters: {},
  example: {},
  dependsOn: ["store"],
  query: (db: Selectable) =>
    db
      .select({
        ...getTableColumns(attestationSchema),
        jsonSchema: sql<
          string | null
        >`CASE WHEN octet_length(${attestationSchema.jsonSchema}) <= ${MAX_LISTED_BYTES} THEN ${attestationSchema.jsonSchema} END`,
      })
      .from(attestationSchema)
      .$dynamic(),
  rows: attestationSchema,
  where: () => [],
  orders: { name: [{ column: attestationSchema.name, of: (row) => row.name }] },
  toWire: listedToWire,
});

const findSchema = preparedQuery((db, { schemaHash }: Placeholders<{ schemaHash: Hex }>) =>
  db.select().from(attestationSchema).where(eq(attestationSchema.schemaHash, schemaHash)),
);

const getSchema = operation({
  route: "GET /attestations/schemas/{schemaHash}",
  summary: "One attestation schema by its hash.",
  input: z.object({ schemaHash: hash }),
  output: Schema,
  errors: [404],
  example: { schemaHash: keccak256(stringToBytes("solver_reputation")) },
  dependsOn: ["store"],
  async run({ store }, { schemaHash }) {
    const [row] = await findSchema(await store(), { schemaHash: hashOfAlias(schemaHash) ?? schemaHash });
    if (!row) throw new NotFound(`Schema ${schemaHash} not found`);
    return toWire(row);
  },
});

/** Whether two schemas are equal. Ignores `createdAt` and `builtin`. */
const isSame = (one: Row, other: Omit<Row, "createdAt" | "builtin">) =>
  one.schemaHash === other.schemaHash &&
  one.name === other.name &&
  one.description === other.description &&
  isDeepStrictEqual(JSON.parse(one.jsonSchema), JSON.parse(other.jsonSchema)) &&
  one.recommendedSubject === other.recommendedSubject;

const publishSchema = operation({
  route: "POST /attestations/schemas",
  summary: "Publishes an attestation schema.",
  description: "Published schemas are immutable.",
  input: z.object({
    name: nameText,
    description: longText.optional(),
    json_schema: schemaObject,
    recommended_subject: shortText.optional(),
    schema_hash: hash.optional().openapi({ description: "Default: the keccak256 of the name." }),
  }),
  output: Schema,
  errors: [401, 409, 413, 429],
  example: { name: "price_feed", json_schema: { type: "object" } },
  writes: true,
  status: 201,
  dependsOn: ["store"],
  async run({ store, config }, { name, description, json_schema, recommended_subject, schema_hash }, caller) {
    const schema = {
      schemaHash: schema_hash ?? keccak256(stringToBytes(name)),
      name,
      description: description ?? null,
      jsonSchema: JSON.stringify(json_schema),
      recommendedSubject: recommended_subject ?? null,
    };
    if (hashOfAlias(schema.schemaHash) !== undefined)
      throw new Conflict(`schema_hash: ${schema.schemaHash} is an alias of a built-in schema`);
    if (Buffer.byteLength(schema.jsonSchema) > MAX_SCHEMA_BYTES)
      throw new TooLarge(`json_schema: must have at most ${MAX_SCHEMA_BYTES} bytes`);
    const problem = await schemaProblem(schema.jsonSchema, caller.client);
    if (problem) throw new BadInput(`json_schema: ${problem}`);
    const db = await store();
    const taken = or(eq(attestationSchema.schemaHash, schema.schemaHash), eq(attestationSchema.name, name));
    const findTaken = () => db.select().from(attestationSchema).where(taken);
    if ((await findTaken()).length === 0) {
      await countBytes(db, config, caller, textBytes(schema));
      await db
        .insert(attestationSchema)
        .values({ ...schema, builtin: false })
        .onConflictDoNothing();
    }
    const rows = await findTaken();
    const same = rows.find((row) => isSame(row, schema));
    if (same) return toWire(same);
    const byName = rows.some((row) => row.name === name);
    throw new Conflict(
      byName
        ? `name: ${name} is taken by another schema`
        : `schema_hash: ${schema.schemaHash} is taken by another schema`,
    );
  },
});

export const schemas = { get: getSchema, list: listSchemas, publish: publishSchema };
