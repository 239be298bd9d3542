import { dispute, disputeStatuses, receipt, total } from "ponder:schema";
import { addTo } from "./lib/add-to";
import type { Handlers } from "./lib/handle";
import { known, unknownRow } from "./lib/known-row";

type DisputeStatus = (typeof disputeStatuses)[number];

/** Disputes are counted by status, overall and for the receipt's merchant. */
const totalsOf = (status: DisputeStatus, merchantId: bigint | null) => {
  const all = { subject: "disputes_by_status", key: status } as const;
  return merchantId === null
    ? [all]
    : [all, { subject: "disputes_by_merchant", key: `${merchantId}-${status}` } as const];
};

export const disputes: Pick<Handlers<"CommerceRegistry">, "DisputeOpened" | "DisputeResolved"> = {
  async DisputeOpened({ event, context }) {
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
    await addTo(context.db, total, totalsOf("OPEN", merchantId), { count: 1 });
  },

  async DisputeResolved({ event, context }) {
    const { disputeId, status: statusNumber, resolutionHash } = event.args;
    const status = disputeStatuses[statusNumber];
    if (!status) return unknownRow("the dispute status", statusNumber);
    let statusBefore = status;
    const update = context.db.update(dispute, { disputeId }).set((before) => {
      statusBefore = before.status;
      return { status, resolutionHash: status === "OPEN" ? null : resolutionHash };
    });
    const decided = await known(update, "dispute", disputeId);
    if (!decided || status === statusBefore) return;
    await addTo(context.db, total, totalsOf(statusBefore, decided.merchantId), { count: -1 });
    await addTo(context.db, total, totalsOf(status, decided.merchantId), { count: 1 });
  },
};
