import type { Address } from "viem";
import {
  agentRegistryAbi,
  attestationRegistryAbi,
  attestorRegistryAbi,
  commerceRegistryAbi,
  intentBookAbi,
  policyModuleAbi,
  settlementAdapterAbi,
  solverRegistryAbi,
} from "../abis/index";

/** The ABIs of the protocol's contracts, by contract name. */
export const protocolAbis = {
  AgentRegistry: agentRegistryAbi,
  IntentBook: intentBookAbi,
  PolicyModule: policyModuleAbi,
  AttestationRegistry: attestationRegistryAbi,
  SolverRegistry: solverRegistryAbi,
  AttestorRegistry: attestorRegistryAbi,
  CommerceRegistry: commerceRegistryAbi,
  SettlementAdapter: settlementAdapterAbi,
} as const;

export type ContractName = keyof typeof protocolAbis;

/** The contracts that every deployment has. */
export const requiredContracts = [
  "AgentRegistry",
  "IntentBook",
  "PolicyModule",
  "AttestationRegistry",
  "SolverRegistry",
  "AttestorRegistry",
  "CommerceRegistry",
] as const satisfies readonly ContractName[];

/** The contracts that a deployment may lack. */
export const optionalContracts = ["SettlementAdapter"] as const satisfies readonly ContractName[];

export const contractNames = [...requiredContracts, ...optionalContracts] as const satisfies readonly ContractName[];

/** The addresses of a deployment's contracts. */
export type ContractAddresses = Record<(typeof requiredContracts)[number], Address> & {
  SettlementAdapter?: Address | undefined;
};

/** The name of the environment variable for a contract's address, such as `AGENT_REGISTRY_ADDRESS`. */
export const addressVariable = (name: ContractName) =>
  `${name.replace(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase()}_ADDRESS`;
