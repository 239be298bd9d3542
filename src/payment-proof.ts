import type { Context } from "ponder:registry";
import {
  type merchant,
  type paymentProofs,
  paymentRails,
  receipt,
  settlement,
  settlementClaim,
  total,
} from "ponder:schema";
import type { Address, Hex } from "viem";
import { addTo } from "./lib/add-to";
import { pays } from "./lib/settlement-lines";
import { countProof } from "./participants";

type Db = Context["db"];

export type PaymentProof = (typeof paymentProofs)[number];

type Seller = Pick<typeof merchant.$inferSelect, "owner" | "payoutAddress">;

type Recorded = {
  receiptId: bigint;
  quoteHash: Hex;
  resultHash: Hex;
  merchantId: bigint;
  agent: Address;
  token: Address;
  amount: bigint;
  paymentRail: number;
  facilitator: Address;
};

/** The rails whose receipts only the registered facilitator of the quote can record. */
const facilitatedRails: readonly (string | undefined)[] = ["facilitator", "x402"];

const receiptsByProof = (merchantId: bigint, proof: PaymentProof) =>
  ({ subject: "receipts_by_payment_proof", key: `${merchantId}-${proof}` }) as const;

/** How the payment of a new receipt to a merchant is known. A settlement after the receipt may still prove it. */
export async function proveReceipt(db: Db, recorded: Recorded, seller: Seller | null): Promise<PaymentProof> {
  const proof = await proofOf(db, recorded, seller);
  await addTo(db, total, receiptsByProof(recorded.merchantId, proof), { count: 1 });
  return proof;
}

async function proofOf(db: Db, recorded: Recorded, seller: Seller | null): Promise<PaymentProof> {
  const { receiptId, quoteHash, resultHash, agent, token, amount, paymentRail, facilitator } = recorded;
  if (!seller) return "claim";
  const { owner, payoutAddress } = seller;
  const claim = { quoteHash, resultHash, receiptId, payoutAddress };
  if (await db.insert(settlementClaim).values(claim).onConflictDoNothing()) {
    const executed = await db.find(settlement, { executionHash: resultHash });
    if (executed?.quoteHash === quoteHash && pays(executed, { token, amount, payoutAddress })) return "settlement";
  }
  const isParty = facilitator === owner || facilitator === payoutAddress || facilitator === agent;
  return facilitatedRails.includes(paymentRails[paymentRail]) && !isParty ? "facilitator" : "claim";
}

/** Marks the receipt that an executed settlement pays as proven, if the receipt was recorded before. */
export async function proveEarlierReceipt(db: Db, executed: typeof settlement.$inferSelect): Promise<void> {
  const { quoteHash, executionHash } = executed;
  const claim = await db.find(settlementClaim, { quoteHash, resultHash: executionHash });
  if (!claim) return;
  const { receiptId, payoutAddress } = claim;
  const recorded = await db.find(receipt, { receiptId });
  if (!recorded || recorded.paymentProof === "settlement") return;
  // Copied before the update, which changes the found row.
  const { merchantId, token, amount, paymentProof } = recorded;
  if (!pays(executed, { token, amount, payoutAddress })) return;
  await db.update(receipt, { receiptId }).set({ paymentProof: "settlement" });
  await addTo(db, total, receiptsByProof(merchantId, paymentProof), { count: -1 });
  await addTo(db, total, receiptsByProof(merchantId, "settlement"), { count: 1 });
  await countProof(db, recorded, paymentProof);
}
