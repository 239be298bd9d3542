import type { Address, Hex } from "viem";
import { commerceRegistryAbi } from "../../../abis/index";
import type { Wallet } from "./wallet";

/** How many of the newest blocks are searched for an earlier payment. Nodes limit the range of a search. */
const SEARCHED_BLOCKS = 2_000n;

/** The first block of a search for an earlier payment. */
export async function firstSearchedBlock(wallet: Wallet): Promise<bigint> {
  const newest = await wallet.getBlockNumber();
  return newest > SEARCHED_BLOCKS ? newest - SEARCHED_BLOCKS : 0n;
}

/** The block that committed a quote. Undefined if it is not one of the searched blocks. */
export async function blockOfQuote(wallet: Wallet, registry: Address, quoteHash: Hex): Promise<bigint | undefined> {
  const [committed] = await wallet.getContractEvents({
    ...{ abi: commerceRegistryAbi, address: registry, eventName: "QuoteCommitted" },
    args: { quoteHash },
    fromBlock: await firstSearchedBlock(wallet),
  });
  return committed?.blockNumber;
}
