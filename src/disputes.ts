import type { Context } from "ponder:registry";
import { commerceTotals, dispute, disputeStatuses, merchantRecord, receipt } from "ponder:schema";
import { addTo } from "./lib/add-to";
import { handle } from "./lib/handle";
import { known, unknownRow } from "./lib/known-row";

type DisputeStatus = (typeof disputeStatuses)[number];

const countOf = { OPEN: "openDisputes", RESOLVED: "resolvedDisputes", REJECTED: "rejectedDisputes" } as const;

type DisputeCounts = { disputes?: number } & { [Count in (typeof countOf)[DisputeStatus]]?: number };

/** Dispute counts are kept over all of commerce and for the merchant of the receipt. */
async function addToCounts(db: Context["db"], merchantId: bigint | null, change: DisputeCounts): Promise<void> {
  await addTo(db, commerceTotals, { id: "all" }, change);
  if (merchantId !== null) await addTo(db, merchantRecord, { merchantId }, change);
}

handle("CommerceRegistry:DisputeOpened", async ({ event, context }) => {
  const { disputeId, receiptId, opener, reasonHash } = event.args;
  const disputed = await context.db.find(receipt, { receiptId });
  if (!disputed) unknownRow("receipt", receiptId);
  const merchantId = disputed?.merchantId ?? null;
  await context.db.insert(dispute).values({
    disputeId,
    receiptId,
    merchantId,
    status: "OPEN",
    opener,
    reasonHash,
    blockNumber: event.block.number,
  });
  await addToCounts(context.db, merchantId, { disputes: 1, openDisputes: 1 });
});

handle("CommerceRegistry:DisputeResolved", async ({ event, context }) => {
  const { disputeId, status: statusNumber, resolutionHash } = event.args;
  const status = disputeStatuses[statusNumber];
  if (!status) return unknownRow("the dispute status", statusNumber);
  let statusBefore = status;
  const update = context.db.update(dispute, { disputeId }).set((before) => {
    statusBefore = before.status;
    return { status, resolutionHash: status === "OPEN" ? null : resolutionHash };
  });
  const decided = await known(update, "dispute", disputeId);
  if (decided && status !== statusBefore)
    await addToCounts(context.db, decided.merchantId, { [countOf[statusBefore]]: -1, [countOf[status]]: 1 });
});
