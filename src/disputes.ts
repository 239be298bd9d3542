import { dispute, disputeStatuses, receipt, total } from "ponder:schema";
import type { Address } from "viem";
import { countActivity } from "./lib/activity";
import { addTo } from "./lib/add-to";
import type { Handlers } from "./lib/handle";
import { known, unknownRow } from "./lib/known-row";

type DisputeStatus = (typeof disputeStatuses)[number];

type Disputed = { opener: Address; merchantId: bigint | null; serviceNumericId: bigint | null };

/** Disputes are counted by status, overall, for their opener, and for the receipt's merchant and service. */
const totalsOf = (status: DisputeStatus, { opener, merchantId, serviceNumericId }: Disputed) => {
  const all = [
    { subject: "disputes_by_status", key: status },
    { subject: "disputes_by_opener", key: `${opener}-${status}` },
  ] as const;
  return merchantId === null || serviceNumericId === null
    ? all
    : [
        ...all,
        { subject: "disputes_by_merchant", key: `${merchantId}-${status}` } as const,
        { subject: "disputes_by_service", key: `${serviceNumericId}-${status}` } as const,
      ];
};

export const disputes: Pick<Handlers<"CommerceRegistry">, "DisputeOpened" | "DisputeResolved"> = {
  async DisputeOpened({ event, context }) {
    const { disputeId, receiptId, opener, reasonHash } = event.args;
    const disputed = await context.db.find(receipt, { receiptId });
    if (!disputed) unknownRow("receipt", receiptId);
    const { merchantId, serviceNumericId } = disputed ?? { merchantId: null, serviceNumericId: null };
    await context.db.insert(dispute).values({
      disputeId,
      receiptId,
      merchantId,
      serviceNumericId,
      status: "OPEN",
      opener,
      reasonHash,
      blockNumber: event.block.number,
    });
    await addTo(context.db, total, totalsOf("OPEN", { opener, merchantId, serviceNumericId }), { count: 1 });
    await countActivity({ event, context }, "disputes");
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
    await addTo(context.db, total, totalsOf(statusBefore, decided), { count: -1 });
    await addTo(context.db, total, totalsOf(status, decided), { count: 1 });
  },
};
