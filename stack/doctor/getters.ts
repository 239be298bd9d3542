import {
  type Abi,
  type AbiFunction,
  type AbiParameter,
  type Address,
  decodeAbiParameters,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  RpcRequestError,
  zeroAddress,
} from "viem";
import { z } from "zod";
import type { Rpc } from "./rpc";

/** The JSON-RPC error code of a reverted call with data. Nodes report other reverts in their message only. */
const REVERTED = 3;

const Returned = z.templateLiteral(["0x", z.hex()]).or(z.literal("0x"));

type Parameter = AbiParameter & { components?: readonly Parameter[] };

/** An argument for a test call: the first id, and otherwise zero. */
function argumentOf({ type, components }: Parameter): unknown {
  if (components) return Object.fromEntries(components.map((member) => [member.name, argumentOf(member)]));
  if (type === "uint256") return 1n;
  if (type.startsWith("uint")) return 0;
  if (type === "address") return zeroAddress;
  const size = /^bytes(\d+)$/.exec(type)?.[1];
  return size === undefined ? "0x" : `0x${"00".repeat(Number(size))}`;
}

/** A parameter with its text as bytes, because text on chain may not be valid UTF-8. */
const withoutText = (parameter: Parameter): Parameter => ({
  ...parameter,
  type: parameter.type === "string" ? "bytes" : parameter.type,
  ...(parameter.components && { components: parameter.components.map(withoutText) }),
});

/**
 * Whether data is exactly the ABI encoding of these outputs. Decoding alone is not enough: some values of another struct can
 * be decoded, with wrong members.
 *
 * @example
 * isEncodingOf([{ type: "bool" }], numberToHex(2, { size: 32 })) // false
 */
export function isEncodingOf(outputs: readonly AbiParameter[], data: Hex): boolean {
  const parameters = outputs.map(withoutText);
  try {
    return encodeAbiParameters(parameters, decodeAbiParameters(parameters, data)) === data;
  } catch {
    return false;
  }
}

const isRevert = (error: unknown) =>
  error instanceof RpcRequestError && (error.code === REVERTED || /revert|VM execution/i.test(error.details));

/** What a call returns. Undefined if it reverts. */
async function returnedBy(rpc: Rpc, to: Address, data: Hex): Promise<Hex | undefined> {
  try {
    return Returned.parse(await rpc("eth_call", [{ to, data }, "latest"]));
  } catch (error) {
    if (isRevert(error)) return undefined;
    throw error;
  }
}

/**
 * The view functions of a contract that return other types than those of its ABI. They are called with the id 1, so a getter
 * of rows is checked as soon as there is one.
 *
 * @example
 * await otherReturnTypes(rpc, address, solverRegistryAbi) // ["getSolver"]
 */
export async function otherReturnTypes(rpc: Rpc, address: Address, abi: Abi): Promise<string[]> {
  const getters = abi.filter(
    (item): item is AbiFunction =>
      item.type === "function" && item.stateMutability !== "nonpayable" && item.stateMutability !== "payable",
  );
  /** Quotes have no ids. The first receipt has the hash of one. */
  const quoteHash = async (): Promise<Hex | undefined> => {
    const getReceipt = getters.find(({ name }) => name === "getReceipt");
    if (!getReceipt) return undefined;
    const data = await returnedBy(rpc, address, encodeFunctionData({ abi: [getReceipt], args: [1n] }));
    return data && data.length >= 66 ? `0x${data.slice(2, 66)}` : undefined;
  };
  const isOther = async (getter: AbiFunction): Promise<boolean> => {
    const hash = getter.name === "getQuote" ? await quoteHash() : undefined;
    const args = hash ? [hash] : getter.inputs.map(argumentOf);
    const data = await returnedBy(rpc, address, encodeFunctionData({ abi: [getter], args }));
    return data !== undefined && !isEncodingOf(getter.outputs, data);
  };
  const results = await Promise.all(getters.map(async (getter) => ({ getter, other: await isOther(getter) })));
  return [...new Set(results.filter(({ other }) => other).map(({ getter }) => getter.name))];
}
