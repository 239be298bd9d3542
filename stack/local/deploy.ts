import type { Address, Hex } from "viem";
import { attestationRegistryAbi, intentBookAbi, policyAccountAbi } from "../../abis/index";
import type { ContractName } from "../../config/contracts";
import bytecode from "../../contracts/bytecode.json";
import { actor, type ChainConnection, mined, signedByNode } from "./chain";

/** Contracts that only the local chain has, besides the protocol. */
type Helper = "TestDollar" | "Multicall" | "PolicyAccount";

export type Contracts = Record<ContractName | Helper, Address>;

/** Deploys the protocol and the helpers on an empty chain. The order and the account are fixed, so the addresses are too. */
export async function deploy(client: ChainConnection): Promise<Contracts> {
  const sender = signedByNode(actor(0));
  const make = async (name: keyof typeof bytecode, abi: readonly unknown[] = [], args: readonly unknown[] = []) => {
    const receipt = await mined(
      client,
      client.deployContract({ ...sender, abi, args, bytecode: bytecode[name] as Hex } as never),
    );
    if (!receipt.contractAddress) throw new Error(`${name} was not deployed`);
    return receipt.contractAddress;
  };
  const AttestationRegistry = await make("AttestationRegistry", attestationRegistryAbi);
  const PolicyModule = await make("PolicyModule");
  return {
    AgentRegistry: await make("AgentRegistry"),
    AttestationRegistry,
    IntentBook: await make("IntentBook", intentBookAbi, [AttestationRegistry]),
    PolicyModule,
    SolverRegistry: await make("SolverRegistry"),
    AttestorRegistry: await make("AttestorRegistry"),
    CommerceRegistry: await make("CommerceRegistry"),
    TestDollar: await make("TestDollar"),
    Multicall: await make("Multicall"),
    PolicyAccount: await make("PolicyAccount", policyAccountAbi, [actor(1).address, PolicyModule]),
    SettlementAdapter: await make("SettlementAdapter"),
  };
}
