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
import type { Contracts } from "../../../stack/deploy";
import { deployedAbis } from "../../../stack/protocol";
import type { Text } from "./values";

type Abis = typeof deployedAbis;
export type ContractName = keyof Abis;
type Write = "nonpayable" | "payable";
/** Looked up in a table, not asked of viem each time: the compiler takes half a minute to see that two such questions agree. */
type FunctionNames = { [Name in ContractName]: ContractFunctionName<Abis[Name], Write> };
export type FunctionName<Name extends ContractName> = FunctionNames[Name];

/** `string` arguments are given as bytes, so that they can be any bytes. */
type WithTexts<Args> = { [Index in keyof Args]: string extends Args[Index] ? Text : Args[Index] };

/** What `from`, a wallet or a contract, calls: the protocol sees `from` as the sender. */
export type Call = { from: Address; to: Address; data: Hex; value: bigint };

function abiFunction(name: ContractName, functionName: string): AbiFunction {
  const abi: Abi = deployedAbis[name];
  const item = getAbiItem({ abi, name: functionName });
  if (item?.type !== "function") throw new Error(`${name} has no function ${functionName}`);
  return item;
}

export const selectorOf = <Name extends ContractName>(name: Name, functionName: FunctionName<Name>): Hex =>
  toFunctionSelector(abiFunction(name, functionName));

/** A typed call of a deployed contract. Bytes and strings have one encoding, so texts are encoded as the bytes they are. */
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
