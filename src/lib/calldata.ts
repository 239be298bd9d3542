import { type Abi, type Address, type DecodeFunctionDataReturnType, decodeFunctionData, type Hex } from "viem";

type Call = { to: Address | null; input: Hex };

/**
 * The arguments with which a transaction itself called the contract, or null when it called something else (a relayed
 * or nested call) or its input does not decode. `abi` holds just the function looked for, which makes this several
 * times faster than decoding against a whole contract.
 */
export function directCall<const Function extends Abi>(
  transaction: Call,
  contract: Address,
  abi: Function,
): DecodeFunctionDataReturnType<Function>["args"] | null {
  if (transaction.to !== contract) return null;
  try {
    return decodeFunctionData({ abi, data: transaction.input }).args;
  } catch {
    // Another function, or an encoding that the contract reads and viem does not: the contract is asked instead.
    return null;
  }
}
