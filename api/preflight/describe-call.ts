import {
  type Abi,
  type AbiFunction,
  decodeFunctionData,
  type Hex,
  parseAbi,
  stringify,
  toFunctionSelector,
} from "viem";
import { quotedText } from "../../common/text";
import { type ContractAddresses, contractNames, protocolAbis } from "../../config/contracts";
import type { Transaction } from "./check";
import { selectorOf } from "./token-spend";

/** The most common token calls. Several standards share some of the selectors. */
const tokenAbi = parseAbi([
  "function transfer(address to, uint256 amount)",
  "function approve(address spender, uint256 amount)",
  "function transferFrom(address from, address to, uint256 amount)",
  "function safeTransferFrom(address from, address to, uint256 tokenId)",
  "function safeTransferFrom(address from, address to, uint256 tokenId, bytes data)",
  "function safeTransferFrom(address from, address to, uint256 id, uint256 amount, bytes data)",
  "function safeBatchTransferFrom(address from, address to, uint256[] ids, uint256[] amounts, bytes data)",
  "function setApprovalForAll(address operator, bool approved)",
]);

const standards: Record<string, string> = {
  [toFunctionSelector("transfer(address,uint256)")]: "ERC-20",
  [toFunctionSelector("approve(address,uint256)")]: "ERC-20 or ERC-721",
  [toFunctionSelector("transferFrom(address,address,uint256)")]: "ERC-20 or ERC-721",
  [toFunctionSelector("safeTransferFrom(address,address,uint256)")]: "ERC-721",
  [toFunctionSelector("safeTransferFrom(address,address,uint256,bytes)")]: "ERC-721",
  [toFunctionSelector("safeTransferFrom(address,address,uint256,uint256,bytes)")]: "ERC-1155",
  [toFunctionSelector("safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)")]: "ERC-1155",
  [toFunctionSelector("setApprovalForAll(address,bool)")]: "ERC-721 or ERC-1155",
};

/** Longer arguments are truncated. */
const MAX_ARGUMENT_LENGTH = 80;

const formatArgument = (value: unknown, type: string): string => {
  // Anyone may have written a text.
  if (type === "string") return quotedText(String(value));
  const text = stringify(value) ?? "";
  const bare = text
    .replace(/^"(.*)"$/, "$1")
    .replace(/0x[0-9a-fA-F]{40}(?![0-9a-fA-F])/g, (address) => address.toLowerCase());
  return bare.length > MAX_ARGUMENT_LENGTH ? `${bare.slice(0, MAX_ARGUMENT_LENGTH)}…` : bare;
};

/** The functions of the ABIs by their selectors. A selector is the hash of a signature, which takes long. */
const functionsOf = new Map<Abi, ReadonlyMap<string, AbiFunction>>();

function functionWith(abi: Abi, selector: Hex | null): AbiFunction | undefined {
  const functions =
    functionsOf.get(abi) ??
    new Map(abi.filter((item) => item.type === "function").map((item) => [toFunctionSelector(item), item] as const));
  functionsOf.set(abi, functions);
  return selector === null ? undefined : functions.get(selector);
}

/** Formats a call as `name(argument: value, …)`. Returns null if the ABI lacks the function or the data does not decode. */
function formatCall(abi: Abi, data: Hex): string | null {
  const item = functionWith(abi, selectorOf(data));
  if (!item) return null;
  try {
    const { args = [] } = decodeFunctionData({ abi: [item], data });
    const named = item.inputs.map(({ name = "", type }, place) => `${name}: ${formatArgument(args[place], type)}`);
    return `${item.name}(${named.join(", ")})`;
  } catch {
    // Invalid call data, which the function would reject. The caller falls back to the selector.
    return null;
  }
}

const withValue = (what: string, value: bigint) => (value > 0n ? `${what}, with ${value} wei` : what);

/**
 * Describes a transaction in one line: token and protocol calls by name, other calls by selector.
 *
 * @example
 * describeCall({ target, value: 5n, data: "0x" }, contracts) // "Send 5 wei to 0x…"
 */
export function describeCall({ target, value, data }: Transaction, contracts: Readonly<ContractAddresses>): string {
  if (data === "0x") return value > 0n ? `Send ${value} wei to ${target}` : `Call ${target} without data`;
  const selector = selectorOf(data);
  if (selector === null) return withValue(`Call ${target} with ${(data.length - 2) / 2} bytes of data`, value);
  const name = contractNames.find((one) => contracts[one] === target);
  const protocolCall = name && formatCall(protocolAbis[name], data);
  if (protocolCall) return withValue(`${name}.${protocolCall}`, value);
  const tokenCall = formatCall(tokenAbi, data);
  if (tokenCall) return withValue(`${standards[selector]} ${tokenCall} on ${target}`, value);
  return withValue(`Call function ${selector} of ${target}`, value);
}
