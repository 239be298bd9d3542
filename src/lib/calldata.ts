import {
  type AbiFunction,
  type Address,
  type DecodeAbiParametersReturnType,
  decodeAbiParameters,
  type Hex,
  toFunctionSelector,
} from "viem";

type Call = { to: Address | null; input: Hex };

/**
 * Makes the function that gives the arguments with which a transaction itself called a contract's function, or null when
 * it called something else (a relayed or nested call) or its input does not decode.
 *
 * @example
 * const revokeCall = directCalls(getAbiItem({ abi: agentRegistryAbi, name: "revokeAgent" }));
 * revokeCall(transaction, registry)?.[0] // 7n
 */
export function directCalls<const Item extends AbiFunction>(item: Item) {
  const selector = toFunctionSelector(item);
  const { inputs } = item;
  return ({ to, input }: Call, contract: Address): DecodeAbiParametersReturnType<Item["inputs"]> | null => {
    if (to !== contract || !input.startsWith(selector)) return null;
    try {
      return decodeAbiParameters(inputs, `0x${input.slice(selector.length)}`) as never;
    } catch {
      // An encoding that the contract reads and viem does not: the contract is asked instead.
      return null;
    }
  };
}
