import { REJECTED, RESOLVED } from "../sample/commerce";
import { sampleCounts } from "../sample/index";
import { hashOf } from "../sample/people";
import type { Batch } from "./batch";
import type { Sold } from "./sales";

/** Which receipt of the week is disputed, why, and how the merchant decides. */
type Dispute = { receipt: number; reason: string; decision?: { status: number; text: string } };

const disputes: readonly Dispute[] = [
  {
    receipt: 9,
    reason: "The answer was about something else, and came a day late.",
    decision: { status: RESOLVED, text: "We are sorry. The whole price was sent back, and the cause is fixed." },
  },
  {
    receipt: 24,
    reason: "The answer leaves out the last day.",
    decision: { status: REJECTED, text: "The order was for six days. The last day is the seventh." },
  },
  { receipt: 58, reason: "The updates stopped after forty of sixty minutes, and the receipt is for sixty." },
];

/** A dispute is opened in the session after the receipt, and decided two sessions later. */
const DECIDED_AFTER = 2;

export type Complaints = {
  /** Opens and decides the disputes that are due in a session. Returns the documents that they refer to. */
  handle: (batch: Batch, sold: readonly Sold[]) => string[];
};

/** The disputes of the week. Their ids follow those of the sample. */
export function complaints(): Complaints {
  let disputeCount: bigint = sampleCounts.disputes;
  let session = 0;
  const pending: { session: number; id: bigint; sale: Sold; status: number; text: string }[] = [];
  const documentOf = (type: string, { receiptId }: Sold, statement: string) =>
    JSON.stringify({ type, receipt_id: String(receiptId), statement });

  return {
    handle({ call }, sold) {
      session++;
      const documents: string[] = [];
      for (const { receipt, reason, decision } of disputes) {
        const sale = sold.find(({ receiptId }) => receiptId === sampleCounts.receipts + BigInt(receipt));
        if (!sale) continue;
        const document = documentOf("complaint", sale, reason);
        documents.push(document);
        call(sale.agent.account, "CommerceRegistry", "openDispute", [sale.receiptId, hashOf(document)]);
        const id = ++disputeCount;
        if (decision) pending.push({ session: session + DECIDED_AFTER, id, sale, ...decision });
      }
      for (const { id, sale, status, text } of pending.filter((one) => one.session === session)) {
        const document = documentOf("decision", sale, text);
        documents.push(document);
        call(sale.merchant.account, "CommerceRegistry", "resolveDispute", [id, status, hashOf(document)]);
      }
      return documents;
    },
  };
}
