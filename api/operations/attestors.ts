import { and, eq, getTableColumns } from "drizzle-orm";
import { attestor, total } from "../../ponder.schema";
import { NotFound } from "../core/errors";
import { address, flag, id } from "../core/inputs";
import { listOperation } from "../core/list";
import { operation, z } from "../core/operation";
import { oldestFirst } from "../core/orders";
import { addressText, chainText, hashText, uintText } from "../core/outputs";
import type { Selectable } from "../indexed/database";
import { type Placeholders, preparedQuery } from "../indexed/prepared-query";
import { includeInput, metadataField, metadataOf, storeIfIncluded, withMetadata } from "./resource-metadata";

const Attestor = z
  .strictObject({
    attestor_id: uintText,
    operator: addressText,
    metadata_uri: chainText,
    schemas_hash: hashText,
    active: z.boolean(),
    attestations: uintText,
    revoked_attestations: uintText,
    block_number: uintText,
  })
  .openapi("Attestor");

const attestorFields = { ...getTableColumns(attestor), attestations: total.count, revoked: total.revoked };

const ofOperator = and(eq(total.subject, "attestations_by_attester"), eq(total.key, attestor.operator));

const selectAttestors = (db: Selectable) =>
  db.select(attestorFields).from(attestor).leftJoin(total, ofOperator).$dynamic();

type Row = Awaited<ReturnType<typeof selectAttestors>>[number];

const toWire = (row: Row): z.input<typeof Attestor> => ({
  attestor_id: String(row.attestorId),
  operator: row.operator,
  metadata_uri: row.metadataUri,
  schemas_hash: row.schemasHash,
  active: row.active,
  attestations: String(row.attestations ?? 0),
  revoked_attestations: String(row.revoked ?? 0),
  block_number: String(row.blockNumber),
});

const findAttestor = preparedQuery((db, { id }: Placeholders<{ id: bigint }>) =>
  selectAttestors(db).where(eq(attestor.attestorId, id)),
);

const findAttestorWithMetadata = preparedQuery((db, { id }: Placeholders<{ id: bigint; chainId: number }>) =>
  db
    .select({ ...attestorFields, metadata: metadataField("attestor") })
    .from(attestor)
    .leftJoin(total, ofOperator)
    .where(eq(attestor.attestorId, id)),
);

const getAttestor = operation({
  route: "GET /attestors/{id}",
  summary: "One attestor by its id.",
  description: "With the number of its operator's attestations.",
  input: z.object({ id, ...includeInput }),
  output: withMetadata(Attestor, "AttestorRecord"),
  errors: [404],
  example: { id: "1" },
  dependsOn: storeIfIncluded("index"),
  async run(context, { id, include }) {
    const { db, config } = context;
    if (include) await context.store();
    const [row] = include
      ? await findAttestorWithMetadata(db, { id, chainId: config.chainId })
      : await findAttestor(db, { id });
    if (!row) throw new NotFound(`Attestor ${id} not found`);
    return { ...toWire(row), ...metadataOf(row) };
  },
});

const listAttestors = listOperation({
  route: "GET /attestors",
  summary: "Registered attestors, by id.",
  name: "attestors",
  item: Attestor,
  filters: { active: flag.optional(), operator: address.optional() },
  example: { active: "true" },
  dependsOn: ["index"],
  query: selectAttestors,
  rows: attestor,
  where: ({ active, operator }) => [
    active === undefined ? undefined : eq(attestor.active, active),
    operator && eq(attestor.operator, operator),
  ],
  orders: oldestFirst(attestor, "attestorId"),
  toWire,
});

export const attestors = { get: getAttestor, list: listAttestors };
