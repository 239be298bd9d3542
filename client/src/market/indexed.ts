import type { IntentryClient } from "../index";
import { until } from "./until";
import type { Wallet } from "./wallet";

/** Waits until the index has the block that is now the newest one of the chain. */
export async function indexed(intentry: IntentryClient, wallet: Wallet): Promise<void> {
  const newest = await wallet.getBlockNumber();
  await until(`Block ${newest} was not indexed`, async () => {
    const { block_number } = await intentry.status.ready.query();
    return block_number !== null && BigInt(block_number) >= newest ? true : undefined;
  });
}
