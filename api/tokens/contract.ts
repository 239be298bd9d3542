import {
  type Address,
  BaseError,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  type PublicClient,
  RpcRequestError,
} from "viem";
import { isTransient } from "../../rpc/json-rpc";
import { tokenText } from "./text";
import { MAX_DECIMALS, type Token } from "./token";

const MAX_SYMBOL = 32;
const MAX_NAME = 100;

/**
 * The gas of one call. Tokens behind a proxy need about 10,000. It limits what a contract can make the node compute, and how
 * much it can return: memory for 350 kB costs more.
 */
const GAS = 250_000n;

export type TokenFacts = Pick<Token, "symbol" | "name" | "decimals">;

const calls = (["symbol", "name", "decimals"] as const).map((functionName) =>
  encodeFunctionData({ abi: erc20Abi, functionName }),
);

/** Whether the node has executed the call, and it failed: the contract reverted or ran out of gas. */
function isRefused(error: unknown): boolean {
  const cause = error instanceof BaseError ? error.walk((one) => one instanceof RpcRequestError) : null;
  return cause !== null && !isTransient(cause);
}

/** Calls a function without arguments. Returns no bytes if the call fails. Throws if the node does not answer. */
async function call(client: Pick<PublicClient, "call">, to: Address, data: Hex): Promise<Hex> {
  try {
    return (await client.call({ to, data, gas: GAS })).data ?? "0x";
  } catch (error) {
    if (isRefused(error)) return "0x";
    throw error;
  }
}

/** A uint8 as contracts return it. Null for anything that can't be a number of decimals. */
function decimalsOf(data: Hex): number | null {
  if (data.length < 66) return null;
  const value = BigInt(data.slice(0, 66));
  return value <= BigInt(MAX_DECIMALS) ? Number(value) : null;
}

/**
 * Reads what a contract says about itself as a token. The contract is hostile: each part that it does not return, or returns
 * in a form that nobody can read, is null. Throws if the node does not answer.
 */
export async function readToken(client: Pick<PublicClient, "call">, address: Address): Promise<TokenFacts> {
  const [symbol = "0x", name = "0x", decimals = "0x"] = await Promise.all(
    calls.map((data) => call(client, address, data)),
  );
  return {
    symbol: tokenText(symbol, MAX_SYMBOL),
    name: tokenText(name, MAX_NAME),
    decimals: decimalsOf(decimals),
  };
}
