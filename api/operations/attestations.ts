import { eq } from "drizzle-orm";
import { attestation } from "../../ponder.schema";
import { BadInput, NotFound } from "../core/errors";
import { address, flag, hash, id } from "../core/inputs";
import { listOperation } from "../core/list";
import { operation, z } from "../core/operation";
import { oldestFirst } from "../core/orders";
import { addressText, hashText, timeText, uintText } from "../core/outputs";
import type { Selectable } from "../indexed/database";
import { type Placeholders, preparedQuery } from "../indexed/prepared-query";

const Attestation = z
  .strictObject({
    attestation_id: uintText,
    attester: addressText,
    schema_hash: hashText,
    subject: hashText,
    data_hash: hashText,
    timestamp: timeText,
    revoked: z.boolean(),
    block_number: uintText,
  })
  .openapi("Attestation");

const toWire = (row: typeof attestation.$inferSelect): z.input<typeof Attestation> => ({
  attestation_id: String(row.attestationId),
  attester: row.attester,
  schema_hash: row.schemaHash,
  subject: row.subject,
  data_hash: row.dataHash,
  timestamp: String(row.timestamp),
  revoked: row.revoked,
  block_number: String(row.blockNumber),
});

const findAttestation = preparedQuery((db, { id }: Placeholders<{ id: bigint }>) =>
  db.select().from(attestation).where(eq(attestation.attestationId, id)),
);

const getAttestation = operation({
  route: "GET /attestations/{id}",
  summary: "One attestation by its id, even if revoked.",
  input: z.object({ id }),
  output: Attestation,
  errors: [404],
  example: { id: "1" },
  dependsOn: ["index"],
  async run({ db }, { id }) {
    const [row] = await findAttestation(db, { id });
    if (!row) throw new NotFound(`Attestation ${id} not found`);
    return toWire(row);
  },
});

const listAttestations = listOperation({
  route: "GET /attestations",
  summary: "Attestations, by id.",
  description: "Requires at least one filter: schema, subject, attester or revoked.",
  name: "attestations",
  item: Attestation,
  filters: {
    schema: hash.optional(),
    subject: hash.optional(),
    attester: address.optional(),
    revoked: flag.optional(),
  },
  example: { revoked: "false" },
  dependsOn: ["index"],
  query: (db: Selectable) => db.select().from(attestation).$dynamic(),
  rows: attestation,
  where: ({ schema, subject, attester, revoked }) => {
    if ([schema, subject, attester, revoked].every((filter) => filter === undefined))
      throw new BadInput("schema, subject, attester, revoked: at least one of them is required");
    return [
      schema && eq(attestation.schemaHash, schema),
      subject && eq(attestation.subject, subject),
      attester && eq(attestation.attester, attester),
      revoked === undefined ? undefined : eq(attestation.revoked, revoked),
    ];
  },
  orders: oldestFirst(attestation, "attestationId"),
  toWire,
});

export const attestations = { get: getAttestation, list: listAttestations };
