import { type Abi, type Address, decodeFunctionData, type Hex, parseAbi, toFunctionSelector } from "viem";
import { type ContractName, contractNames, protocolAbis } from "../../config/contracts";
import type { Transaction } from "./check";
import { selectorOf } from "./token-spend";

/** The calls of token standards that wallets make most. Some selectors mean the same to several standards. */
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

/** Longer than this, an argument is cut: it is there to be recognised, not to be read whole. */
const LONGEST_ARGUMENT = 80;

const written = (value: unknown): string => {
  const text = JSON.stringify(value, (_, inner) => (typeof inner === "bigint" ? String(inner) : inner)) ?? "";
  const bare = text
    .replace(/^"(.*)"$/, "$1")
    .replace(/0x[0-9a-fA-F]{40}(?![0-9a-fA-F])/g, (address) => address.toLowerCase());
  return bare.length > LONGEST_ARGUMENT ? `${bare.slice(0, LONGEST_ARGUMENT)}…` : bare;
};

/** A call as `name(argument: value, …)`, or null when the ABI has no such function or the data does not decode. */
function readCall(abi: Abi, data: Hex): string | null {
  const selector = selectorOf(data);
  const item = abi.find((one) => one.type === "function" && toFunctionSelector(one) === selector);
  if (item?.type !== "function") return null;
  try {
    const { args = [] } = decodeFunctionData({ abi: [item], data });
    const named = item.inputs.map(({ name = "" }, place) => `${name}: ${written(args[place])}`);
    return `${item.name}(${named.join(", ")})`;
  } catch {
    // Data that the function itself would refuse: the call is named by its selector.
    return null;
  }
}

const withValue = (what: string, value: bigint) => (value > 0n ? `${what}, with ${value} wei` : what);

/**
 * Says what a transaction would do: known calls of tokens and of the protocol by name, others by their selector.
 *
 * @example
 * describeCall({ target, value: 5n, data: "0x" }, contracts) // "Send 5 wei to 0x…"
 */
export function describeCall(
  { target, value, data }: Transaction,
  contracts: Readonly<Record<ContractName, Address>>,
): string {
  if (data === "0x") return value > 0n ? `Send ${value} wei to ${target}` : `Call ${target} without data`;
  const selector = selectorOf(data);
  if (selector === null) return withValue(`Call ${target} with ${(data.length - 2) / 2} bytes of data`, value);
  const name = contractNames.find((one) => contracts[one] === target);
  const ofProtocol = name && readCall(protocolAbis[name], data);
  if (ofProtocol) return withValue(`${name}.${ofProtocol}`, value);
  const ofToken = readCall(tokenAbi, data);
  if (ofToken) return withValue(`${standards[selector]} ${ofToken} on ${target}`, value);
  return withValue(`Call function ${selector} of ${target}`, value);
}
