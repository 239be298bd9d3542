import { index, onchainTable } from "ponder";
import { hex, madeInBlock, ofBlock } from "./columns";

/** One row is one attestation, active or revoked. */
export const attestation = onchainTable(
  "attestation",
  (t) => ({
    attestationId: t.bigint().primaryKey(),
    attester: hex(t).notNull(),
    schemaHash: hex(t).notNull(),
    subject: hex(t).notNull(),
    dataHash: hex(t).notNull(),
    timestamp: ofBlock(t).notNull(),
    revoked: t.boolean().notNull(),
    blockNumber: madeInBlock(t),
  }),
  (table) => ({
    bySchema: index().on(table.schemaHash, table.attestationId),
    bySubject: index().on(table.subject, table.attestationId),
    byAttester: index().on(table.attester, table.attestationId),
    byRevoked: index().on(table.revoked, table.attestationId),
  }),
);

/** One row is one registered attestor. Its counters are in `total`, as `attestations_by_attester` of its operator. */
export const attestor = onchainTable(
  "attestor",
  (t) => ({
    attestorId: t.bigint().primaryKey(),
    operator: hex(t).notNull(),
    metadataUri: t.varchar().notNull(),
    schemasHash: hex(t).notNull(),
    active: t.boolean().notNull(),
    blockNumber: madeInBlock(t),
  }),
  (table) => ({
    byOperator: index().on(table.operator, table.attestorId),
    byActive: index().on(table.active, table.attestorId),
  }),
);
