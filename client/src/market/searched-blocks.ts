import type { Wallet } from "./wallet";

/** How many of the newest blocks are searched for an earlier payment. Nodes limit the range of a search. */
const SEARCHED_BLOCKS = 2_000n;

/** The first block of a search for an earlier payment. */
export async function firstSearchedBlock(wallet: Wallet): Promise<bigint> {
  const newest = await wallet.getBlockNumber();
  return newest > SEARCHED_BLOCKS ? newest - SEARCHED_BLOCKS : 0n;
}
