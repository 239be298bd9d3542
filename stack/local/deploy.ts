import { type Address, getContractAddress, type Hex } from "viem";
import { attestationRegistryAbi, intentBookAbi, policyAccountAbi } from "../../abis/index";
import type { ContractName } from "../../config/contracts";
import { address } from "../../config/values";
import bytecode from "../../contracts/bytecode.json";
import { actor, type ChainConnection, mined, signedByNode } from "./chain";

/** Contracts that only the local chain has, besides the protocol. */
type Helper = "TestDollar" | "Multicall" | "PolicyAccount";

export type Contracts = Record<ContractName | Helper, Address>;

const deployer = actor(0);

/** The address of the contract that the deployer creates in its transaction with this number, from 0. */
export const createdAt = (transaction: number): Address =>
  address.parse(getContractAddress({ from: deployer.address, nonce: BigInt(transaction) }));

/** In the order in which they are deployed, so that their addresses are known before. */
const names = [
  "AttestationRegistry",
  "PolicyModule",
  "AgentRegistry",
  "IntentBook",
  "SolverRegistry",
  "AttestorRegistry",
  "CommerceRegistry",
  "TestDollar",
  "Multicall",
  "PolicyAccount",
  "SettlementAdapter",
] as const;

export const contractCount = names.length;

/** The addresses of the contracts on a chain whose first transactions are {@link deploy}. */
export const contracts = Object.fromEntries(names.map((name, index) => [name, createdAt(index)])) as Contracts;

type Deployed = { abi?: readonly unknown[]; args?: readonly unknown[] };

const constructors: Partial<Record<keyof Contracts, Deployed>> = {
  AttestationRegistry: { abi: attestationRegistryAbi },
  IntentBook: { abi: intentBookAbi, args: [contracts.AttestationRegistry] },
  PolicyAccount: { abi: policyAccountAbi, args: [actor(1).address, contracts.PolicyModule] },
};

/** Deploys a contract as the deployer, at an address that is known. */
export async function deployAt(
  client: ChainConnection,
  expected: Address,
  name: keyof typeof bytecode,
  { abi = [], args = [] }: Deployed = {},
): Promise<void> {
  const request = { ...signedByNode(deployer), abi, args, bytecode: bytecode[name] as Hex };
  const { contractAddress } = await mined(client, client.deployContract(request as never));
  if (contractAddress?.toLowerCase() !== expected)
    throw new Error(
      `${name} is at ${contractAddress} instead of ${expected}: the deployer has sent other transactions`,
    );
}

/** Deploys the protocol and the helpers on an empty chain. The order and the account are fixed, so the addresses are too. */
export async function deploy(client: ChainConnection): Promise<Contracts> {
  for (const name of names) await deployAt(client, contracts[name], name, constructors[name]);
  return contracts;
}
