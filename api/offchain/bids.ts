import { and, eq } from "drizzle-orm";
import type { StoreDatabase } from "./open";
import { offchainBid } from "./tables";

export type OffchainBid = typeof offchainBid.$inferSelect;

/** The public id of an on-chain bid, unique across intents. */
export const onchainBidId = (intentId: bigint, bidId: bigint) => `${intentId}-${bidId}`;

/** The public id of an off-chain bid. It can't collide with an on-chain id (`<intent>-<bid>`). */
export const offchainBidId = (number: bigint) => `offchain-${number}`;

/** Parses the id of an off-chain bid. Returns null for any other id. */
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
 * Selects an open bid and rejects the previously selected one. Returns null if the bid is no longer open. Locks the
 * intent's bids first, which serializes concurrent selections.
 */
export const selectBid = (
  db: StoreDatabase,
  { number, chainId, intentHash }: OffchainBid,
  now: bigint,
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
      .set({ status: "SELECTED", selectedAt: now })
      .where(eq(offchainBid.number, number))
      .returning();
    return row ?? null;
  });
