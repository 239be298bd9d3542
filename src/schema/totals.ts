import { index, onchainTable, primaryKey } from "ponder";
import { count, sum } from "./columns";

// Running totals, so that the cost of a read does not grow with the number of rows.

/** The subjects of running totals. The comments give the meaning of `key`, and the columns that are used beside `count`. */
export const totalSubjects = [
  // Overall (the key is empty): `active`; for quotes `settled`, `volume` and `protocolFees`.
  "merchants",
  "services",
  "facilitators",
  "quotes",
  // Receipts: `volume`, `protocolFees`; by merchant and by service `fulfilled`. The key is in the name.
  "receipts_by_token",
  "receipts_by_merchant",
  "receipts_by_service",
  "receipts_by_facilitator",
  "receipts_by_payment_rail",
  // By merchant and payment proof.
  "receipts_by_payment_proof",
  // Disputes by status, and by the receipt's merchant or service and status.
  "disputes_by_status",
  "disputes_by_merchant",
  "disputes_by_service",
  // Disputes by the address that opened them and status.
  "disputes_by_opener",
  // Trust signals by kind, and by subject type, subject id and kind.
  "signals_by_kind",
  "signals_by_subject",
  // Attestations by attester address, registered as an attestor or not: `revoked`.
  "attestations_by_attester",
] as const;

/** One row is one running total. Rows are narrow, because every change rewrites the row. */
export const total = onchainTable(
  "total",
  (t) => ({
    subject: t.varchar({ enum: totalSubjects }).notNull(),
    /** An address, a decimal id, several values joined with "-", or "". */
    key: t.varchar().notNull(),
    count: count(t),
    /** How many of them are active: merchants, services, facilitators. */
    active: count(t),
    /** How many quotes have a receipt. */
    settled: count(t),
    /** How many receipts are fulfilled. */
    fulfilled: count(t),
    /** How many attestations are revoked. */
    revoked: count(t),
    /** For quotes and receipts, the sum of their amounts. */
    volume: sum(t),
    protocolFees: sum(t),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.subject, table.key] }),
    largest: index().on(table.subject, table.volume.desc().nullsFirst(), table.key),
    mostFulfilled: index().on(table.subject, table.fulfilled.desc().nullsFirst(), table.key),
  }),
);
