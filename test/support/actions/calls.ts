import {
  type Abi,
  type AbiFunction,
  type Address,
  type ContractFunctionArgs,
  type ContractFunctionName,
  concat,
  encodeAbiParameters,
  getAbiItem,
  type Hex,
  toFunctionSelector,
} from "viem";
import type { Contracts } from "../../../stack/local/deploy";
import { deployedAbis } from "../../../stack/local/protocol";
import type { Text } from "./values";

type Abis = typeof deployedAbis;
export type ContractName = keyof Abis;
type Write = "nonpayable" | "payable";
/** A lookup table instead of viem's generic types, which take the compiler half a minute to compare. */
type FunctionNames = { [Name in ContractName]: ContractFunctionName<Abis[Name], Write> };
export type FunctionName<Name extends ContractName> = FunctionNames[Name];

/** `string` arguments are passed as bytes, so that they can be invalid UTF-8. */
type WithTexts<Args> = { [Index in keyof Args]: string extends Args[Index] ? Text : Args[Index] };

/** A call by `from`, a wallet or a contract. The protocol sees `from` as msg.sender. */
export type Call = { from: Address; to: Address; data: Hex; value: bigint };

function abiFunction(name: ContractName, functionName: string): AbiFunction {
  const abi: Abi = deployedAbis[name];
  const item = getAbiItem({ abi, name: functionName });
  if (item?.type !== "function") throw new Error(`${name} has no function ${functionName}`);
  return item;
}

export const selectorOf = <Name extends ContractName>(name: Name, functionName: FunctionName<Name>): Hex =>
  toFunctionSelector(abiFunction(name, functionName));

/** A typed call of a deployed contract. The ABI encodes strings and bytes the same way, so strings are encoded as bytes. */
export function call<Name extends ContractName, Fn extends FunctionName<Name>>(
  { contracts }: { contracts: Contracts },
  from: Address,
  name: Name,
  functionName: Fn,
  args: WithTexts<ContractFunctionArgs<Abis[Name], Write, Fn>>,
  value = 0n,
): Call {
  const item = abiFunction(name, functionName);
  const inputs = item.inputs.map((input) => (input.type === "string" ? { ...input, type: "bytes" } : input));
  const data = concat([toFunctionSelector(item), encodeAbiParameters(inputs, args as readonly unknown[])]);
  return { from, to: contracts[name], data, value };
}
