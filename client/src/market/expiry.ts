import { unusable } from "./fields";
import type { Wallet } from "./wallet";

/** A payment is sent only if the quote is valid for so many seconds. Afterwards its receipt can't be recorded. */
const SETTLEMENT_SECONDS = 30n;

/** Throws if a quote expires too soon to be paid and recorded. */
export async function requireTimeToSettle(wallet: Wallet, { expiresAt }: { expiresAt: bigint }): Promise<void> {
  const { timestamp } = await wallet.getBlock();
  if (expiresAt < timestamp + SETTLEMENT_SECONDS)
    throw unusable(`The quote has expired, or expires in less than ${SETTLEMENT_SECONDS} seconds`);
}
