import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Address } from "viem";
import { z } from "zod";
import type { ContractName } from "./contracts";
import { TokenList } from "./token-list";
import { address, contractAddresses, httpUrl } from "./values";

/** The chain id of anvil and of every other development chain that wants to be known as one. */
export const LOCAL_CHAIN_ID = 31337;

/** The accounts that every anvil funds; their keys are public and worth nothing anywhere else. */
export const LOCAL_MNEMONIC = "test test test test test test test test test test test junk";

/** Which of them settles payments on a local chain, and which is paid. Neither is used for anything else. */
export const LOCAL_FACILITATOR_INDEX = 19;
export const LOCAL_PAYEE_INDEX = 18;

export type Network = {
  name: "local" | "base-sepolia" | "custom";
  chainId: number;
  rpcUrls: string[];
  startBlock: number;
  contracts: Record<ContractName, Address>;
  /** The token in which is paid on a local chain. */
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
  },
} as const satisfies Pick<Network, "chainId" | "startBlock" | "contracts">;

/** What the local stack writes once its chain is up, and everything else reads: `.intentry/local.json`. */
export const LocalDeployment = z.object({
  rpcUrl: httpUrl,
  chainId: z.number().int().positive(),
  apiUrl: httpUrl,
  ponderUrl: httpUrl,
  contracts: contractAddresses.catchall(address),
  /** What portfolios look for on it; absent on a chain without tokens for that. */
  tokens: TokenList.optional(),
});
export type LocalDeployment = z.infer<typeof LocalDeployment>;

export const localDeploymentFile = (stateFolder: string) => join(stateFolder, "local.json");

/** Reads the local deployment file; the error says how one is made. */
export function readLocalDeployment(stateFolder: string): LocalDeployment {
  const file = localDeploymentFile(stateFolder);
  try {
    return LocalDeployment.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch (cause) {
    throw new Error(
      `NETWORK=local needs the deployment file ${file}, which can't be read. \`npm start\` makes it; for a chain of your own set CHAIN_ID, RPC_URL, START_BLOCK and the contract addresses.`,
      { cause },
    );
  }
}
