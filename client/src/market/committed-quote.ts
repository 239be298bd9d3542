import { type Address, BaseError, ContractFunctionRevertedError, type Hex, type ReadContractReturnType } from "viem";
import { commerceRegistryAbi } from "../../../abis/index";
import type { Wallet } from "./wallet";

type CommittedQuote = ReadContractReturnType<typeof commerceRegistryAbi, "getQuote">;

const isUnknownQuote = (error: unknown): boolean => {
  if (!(error instanceof BaseError)) return false;
  const revert = error.walk((cause) => cause instanceof ContractFunctionRevertedError);
  return revert instanceof ContractFunctionRevertedError && revert.data?.errorName === "QuoteNotFound";
};

/** A quote on chain. Undefined if no merchant has committed to it. */
export async function committedQuote(
  wallet: Pick<Wallet, "readContract">,
  registry: Address,
  quoteHash: Hex,
): Promise<CommittedQuote | undefined> {
  const call = { abi: commerceRegistryAbi, address: registry, functionName: "getQuote", args: [quoteHash] } as const;
  try {
    return await wallet.readContract(call);
  } catch (error) {
    if (isUnknownQuote(error)) return undefined;
    throw error;
  }
}
