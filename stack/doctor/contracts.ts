import { type Abi, type Address, type Hex, hexToBigInt, numberToHex, slice } from "viem";
import { z } from "zod";
import { addressVariable, type ContractName, contractNames, protocolAbis } from "../../config/contracts";
import type { Network } from "../../config/networks";
import { check, type Finding, failed, ok, type Result, warning } from "./check";
import { otherReturnTypes } from "./getters";
import { type Rpc, rpcTo } from "./rpc";
import { missingIn } from "./selectors";

/** EIP-1967: keccak256("eip1967.proxy.implementation") - 1. */
const IMPLEMENTATION_SLOT = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";

const Bytes = z.templateLiteral(["0x", z.string().regex(/^([0-9a-f]{2})*$/)]);

export const readCode = async (rpc: Rpc, address: Address, block = "latest"): Promise<Hex> =>
  Bytes.parse(await rpc("eth_getCode", [address, block]));

/** The implementation of a proxy (EIP-1967). Undefined if the contract is not one. */
async function implementationOf(rpc: Rpc, address: Address): Promise<Address | undefined> {
  const stored = Bytes.parse(await rpc("eth_getStorageAt", [address, IMPLEMENTATION_SLOT, "latest"]));
  return stored === "0x" || hexToBigInt(stored) === 0n ? undefined : slice(stored, -20);
}

/** Whether the contract existed before the first indexed block. False if the node does not have that state. */
async function existedBefore(rpc: Rpc, address: Address, startBlock: number): Promise<boolean> {
  if (startBlock === 0) return false;
  return (await readCode(rpc, address, numberToHex(startBlock - 1)).catch(() => "0x")) !== "0x";
}

/** A few names, and how many more there are. */
const namesText = (names: readonly string[]) =>
  names.length > 5 ? `${names.slice(0, 5).join(", ")} and ${names.length - 5} more` : names.join(", ");

async function checkContract(rpc: Rpc, name: ContractName, address: Address, network: Network) {
  const { chainId } = network;
  const startBlock = network.startBlocks?.[name] ?? network.startBlock;
  const code = await readCode(rpc, address);
  const advice = `Check ${addressVariable(name)}.`;
  if (code === "0x") return failed(`${address} has no code on chain ${chainId}.`, advice);
  const implementation = await implementationOf(rpc, address);
  const deployed = implementation === undefined ? code : await readCode(rpc, implementation);
  const place = implementation === undefined ? address : `${address} (a proxy of ${implementation})`;
  const { needed, other } = missingIn(deployed, name, protocolAbis[name] as Abi);
  if (needed.length > 0) return failed(`${place} is another contract: it lacks ${namesText(needed)}.`, advice);
  const lacking = new Set(other);
  const present = (protocolAbis[name] as Abi).filter((item) => !("name" in item && lacking.has(item.name)));
  const undecodable = await otherReturnTypes(rpc, address, present);
  if (undecodable.length > 0)
    return failed(`${place} is another contract: it returns other types from ${namesText(undecodable)}.`, advice);
  if (await existedBefore(rpc, address, startBlock))
    return warning(
      `${place} existed before block ${startBlock}, so its earlier events are not indexed.`,
      "Set START_BLOCK to the block of the deployment.",
    );
  return other.length > 0
    ? warning(`${place} lacks the read functions ${namesText(other)}.`, "The service does not use them.")
    : ok(`${place} has all functions and events.`);
}

/** Checks that the protocol's contracts are at their addresses. `node` is the URL of a node of the chain. */
export async function checkContracts(network: Network, node: Promise<string | undefined>): Promise<Result[]> {
  const url = await node;
  if (url === undefined)
    return [
      { name: "contracts", ...warning("Not checked, because no RPC node serves the chain.", "Solve that problem.") },
    ];
  return Promise.all(
    contractNames.flatMap((name) => {
      const address = network.contracts[name];
      // A deployment may lack an optional contract.
      if (address === undefined) return [];
      const run = (signal: AbortSignal): Promise<Finding> => checkContract(rpcTo(url, signal), name, address, network);
      return check(`contract ${name}`, run);
    }),
  );
}
