import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Address } from "viem";
import { z } from "zod";
import type { ContractAddresses, ContractName } from "./contracts";
import { TokenList } from "./token-list";
import { address, contractAddresses, httpUrl } from "./values";

/** The default chain id of anvil and other development chains. */
export const LOCAL_CHAIN_ID = 31337;

/** The mnemonic of anvil's default accounts. Their keys are public: never fund them on another chain. */
export const LOCAL_MNEMONIC = "test test test test test test test test test test test junk";

/** The accounts that settle and receive payments on a local chain. They have no other use. */
export const LOCAL_FACILITATOR_INDEX = 19;
export const LOCAL_PAYEE_INDEX = 18;

export type Network = {
  name: "local" | "base-sepolia" | "custom";
  chainId: number;
  rpcUrls: string[];
  startBlock: number;
  contracts: ContractAddresses;
  /** The first block of a contract that was deployed later than the others. */
  startBlocks?: Partial<Record<ContractName, number>>;
  /** The payment token of a local chain. */
  testDollar?: Address;
};

/** The deployment on the public test network. */
export const baseSepolia = {
  chainId: 84532,
  startBlock: 42033933,
  contracts: {
    AgentRegistry: "0x24ca7dc7747b0166e73a2d6d99ce677476f046f3",
    IntentBook: "0x16f7e7c4856bad4dcbe61400630087dab75b229e",
    PolicyModule: "0xb2686c5cc3ab7ce45acfe0091698d9b6a16c2d0c",
    AttestationRegistry: "0x62631b3f111424831daa61becb2e7a4bb0f71d2f",
    SolverRegistry: "0x21cf04bc864953da4c79160f820f38ef74213eea",
    AttestorRegistry: "0x40f2623f177a400a5928c99f107500049a884da0",
    CommerceRegistry: "0xf0bf44b28567f0b3d2370dc7af8a63335746d8d4",
    SettlementAdapter: "0xbd61097cc7b7e1f03e88fe20e9512ff091126cb3",
  },
  startBlocks: { SettlementAdapter: 42074808 },
} as const satisfies Pick<Network, "chainId" | "startBlock" | "contracts" | "startBlocks">;

/** The content of `.intentry/local.json`, which the local stack writes once its chain is up. */
export const LocalDeployment = z.object({
  rpcUrl: httpUrl,
  chainId: z.number().int().positive(),
  apiUrl: httpUrl,
  ponderUrl: httpUrl,
  contracts: contractAddresses.catchall(address),
  /** The token list for portfolios. Absent if the chain has no such tokens. */
  tokens: TokenList.optional(),
});
export type LocalDeployment = z.infer<typeof LocalDeployment>;

export const localDeploymentFile = (stateFolder: string) => join(stateFolder, "local.json");

/** Reads the local deployment file. The error explains how to create it. */
export function readLocalDeployment(stateFolder: string): LocalDeployment {
  const file = localDeploymentFile(stateFolder);
  try {
    return LocalDeployment.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch (cause) {
    throw new Error(
      `NETWORK=local requires the deployment file ${file}, which can't be read. \`npm start\` creates it. For another chain, set CHAIN_ID, RPC_URL, START_BLOCK and the contract addresses.`,
      { cause },
    );
  }
}
