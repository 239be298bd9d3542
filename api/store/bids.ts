import { and, eq } from "drizzle-orm";
import type { StoreDatabase } from "./open";
import { offchainBid } from "./schema";

export type OffchainBid = typeof offchainBid.$inferSelect;

/** The name of an on-chain bid over all intents. */
export const onchainBidId = (intentId: bigint, bidId: bigint) => `${intentId}-${bidId}`;

/** Off-chain bids are named so that no on-chain name, `<intent>-<bid>`, is one of theirs. */
export const offchainBidId = (number: bigint) => `offchain-${number}`;

/** The number of an off-chain bid by its name, or null when it is no such name. */
export function offchainNumber(bidId: string): bigint | null {
  const digits = /^offchain-(\d{1,18})$/.exec(bidId)?.[1];
  return digits === undefined ? null : BigInt(digits);
}

export async function saveBid(
  db: StoreDatabase,
  bid: Omit<typeof offchainBid.$inferInsert, "status">,
): Promise<OffchainBid> {
  const [row] = await db
    .insert(offchainBid)
    .values({ ...bid, status: "OPEN" })
    .returning();
  if (!row) throw new Error("The bid was not stored");
  return row;
}

export async function findBid(db: StoreDatabase, chainId: number, number: bigint): Promise<OffchainBid | null> {
  const [row] = await db
    .select()
    .from(offchainBid)
    .where(and(eq(offchainBid.number, number), eq(offchainBid.chainId, chainId)));
  return row ?? null;
}

/**
 * Selects an open bid and rejects the one that was selected before. Null when it was not open any more. The bids of the
 * intent are locked first, so that of two selections at once one comes after the other.
 */
export const selectBid = (
  db: StoreDatabase,
  { number, chainId, intentHash }: OffchainBid,
): Promise<OffchainBid | null> =>
  db.transaction(async (transaction) => {
    const ofIntent = and(eq(offchainBid.chainId, chainId), eq(offchainBid.intentHash, intentHash));
    const bids = await transaction
      .select({ number: offchainBid.number, status: offchainBid.status })
      .from(offchainBid)
      .where(ofIntent)
      .orderBy(offchainBid.number)
      .for("update");
    if (!bids.some((bid) => bid.number === number && bid.status === "OPEN")) return null;
    await transaction
      .update(offchainBid)
      .set({ status: "REJECTED" })
      .where(and(ofIntent, eq(offchainBid.status, "SELECTED")));
    const [row] = await transaction
      .update(offchainBid)
      .set({ status: "SELECTED" })
      .where(eq(offchainBid.number, number))
      .returning();
    return row ?? null;
  });
