import { eq } from "drizzle-orm";
import { dispute, disputeStatuses } from "../../ponder.schema";
import { NotFound } from "../core/errors";
import { address, id } from "../core/inputs";
import { listOperation } from "../core/list";
import { operation, z } from "../core/operation";
import { newestFirst } from "../core/orders";
import { addressText, hashText, uintText } from "../core/outputs";
import type { Selectable } from "../indexed/database";
import { type Placeholders, preparedQuery } from "../indexed/prepared-query";
import { runningTotals } from "./running-totals";

const Dispute = z
  .strictObject({
    dispute_id: uintText,
    receipt_id: uintText,
    status: z.enum(disputeStatuses),
    opener: addressText,
    reason_hash: hashText,
    resolution_hash: hashText.nullable().openapi({ description: "Null while open." }),
    block_number: uintText,
  })
  .openapi("Dispute");

const toWire = (row: typeof dispute.$inferSelect): z.input<typeof Dispute> => ({
  dispute_id: String(row.disputeId),
  receipt_id: String(row.receiptId),
  status: row.status,
  opener: row.opener,
  reason_hash: row.reasonHash,
  resolution_hash: row.resolutionHash,
  block_number: String(row.blockNumber),
});

const findDispute = preparedQuery((db, { id }: Placeholders<{ id: bigint }>) =>
  db.select().from(dispute).where(eq(dispute.disputeId, id)),
);

const getDispute = operation({
  route: "GET /disputes/{id}",
  summary: "One dispute by its id.",
  input: z.object({ id }),
  output: Dispute,
  errors: [404],
  example: { id: "1" },
  dependsOn: ["index"],
  async run({ db }, { id }) {
    const [row] = await findDispute(db, { id });
    if (!row) throw new NotFound(`Dispute ${id} not found`);
    return toWire(row);
  },
});

const listDisputes = listOperation({
  route: "GET /disputes",
  summary: "Disputes about receipts, newest first.",
  name: "disputes",
  item: Dispute,
  filters: { receipt_id: id.optional(), merchant_id: id.optional(), opener: address.optional() },
  example: {},
  dependsOn: ["index"],
  query: (db: Selectable) => db.select().from(dispute).$dynamic(),
  rows: dispute,
  where: ({ receipt_id, merchant_id, opener }) => [
    receipt_id === undefined ? undefined : eq(dispute.receiptId, receipt_id),
    merchant_id === undefined ? undefined : eq(dispute.merchantId, merchant_id),
    opener && eq(dispute.opener, opener),
  ],
  orders: newestFirst(dispute, "disputeId"),
  counted: runningTotals("disputes_by_status"),
  toWire,
});

export const disputes = { get: getDispute, list: listDisputes };
