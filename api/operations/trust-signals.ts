import { eq } from "drizzle-orm";
import { signalKinds, signalSubjects, trustSignal } from "../../ponder.schema";
import { address, enumNumber, id } from "../core/inputs";
import { listOperation } from "../core/list";
import { z } from "../core/operation";
import { newestFirst } from "../core/orders";
import { addressText, hashText, uintText } from "../core/outputs";
import type { Selectable } from "../indexed/database";
import { runningTotals } from "./running-totals";

/** Names with their numbers on chain: `0 merchant, 1 service`. */
const numbered = (names: readonly string[]) => names.map((name, number) => `${number} ${name}`).join(", ");

const subjectNumber = z
  .int()
  .min(0)
  .max(255)
  .openapi({ description: `What the signal is about: ${numbered(signalSubjects)}.`, example: 0 });
const kindNumber = z
  .int()
  .min(0)
  .max(255)
  .openapi({ description: `What the signal says: ${numbered(signalKinds)}.`, example: 0 });

/** The number of trust signals of one kind. */
export const SignalsOfKind = z.strictObject({ kind: kindNumber, signals: uintText }).openapi("SignalsOfKind");

const TrustSignal = z
  .strictObject({
    signal_id: uintText,
    subject_type: subjectNumber,
    subject_id: uintText,
    kind: kindNumber,
    reporter: addressText,
    signal_hash: hashText,
    block_number: uintText,
  })
  .openapi("TrustSignal");

const listTrustSignals = listOperation({
  route: "GET /trust-signals",
  summary: "Trust signals, newest first.",
  name: "trust_signals",
  item: TrustSignal,
  filters: {
    subject_type: enumNumber(signalSubjects).optional(),
    subject_id: id.optional(),
    kind: enumNumber(signalKinds).optional(),
    reporter: address.optional(),
  },
  example: { subject_type: "0", subject_id: "1" },
  dependsOn: ["index"],
  query: (db: Selectable) => db.select().from(trustSignal).$dynamic(),
  rows: trustSignal,
  where: ({ subject_type, subject_id, kind, reporter }) => [
    subject_type === undefined ? undefined : eq(trustSignal.subjectType, subject_type),
    subject_id === undefined ? undefined : eq(trustSignal.subjectId, subject_id),
    kind === undefined ? undefined : eq(trustSignal.kind, kind),
    reporter && eq(trustSignal.reporter, reporter),
  ],
  orders: newestFirst(trustSignal, "signalId"),
  counted: runningTotals("signals_by_kind", { kind: "signals_by_kind" }),
  toWire: (row) => ({
    signal_id: String(row.signalId),
    subject_type: row.subjectType,
    subject_id: String(row.subjectId),
    kind: row.kind,
    reporter: row.reporter,
    signal_hash: row.signalHash,
    block_number: String(row.blockNumber),
  }),
});

export const trustSignals = { list: listTrustSignals };
