import { and, eq, getTableColumns } from "drizzle-orm";
import { attestor, total } from "../../ponder.schema";
import { address, flag } from "../core/inputs";
import { listOperation } from "../core/list";
import { z } from "../core/operation";
import { oldestFirst } from "../core/orders";
import { addressText, chainText, hashText, uintText } from "../core/outputs";
import type { Selectable } from "../indexed/database";
import { recordOperation } from "./resource-metadata";

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

const getAttestor = recordOperation({
  route: "GET /attestors/{id}",
  summary: "One attestor by its id.",
  description: "With the number of its operator's attestations.",
  subject: "attestor",
  item: Attestor,
  name: "AttestorRecord",
  idName: "id",
  query: (db, { id }, metadata) =>
    db
      .select({ ...attestorFields, ...metadata })
      .from(attestor)
      .leftJoin(total, ofOperator)
      .where(eq(attestor.attestorId, id)),
  toWire,
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
