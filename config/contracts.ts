import {
  agentRegistryAbi,
  attestationRegistryAbi,
  attestorRegistryAbi,
  commerceRegistryAbi,
  intentBookAbi,
  policyModuleAbi,
  solverRegistryAbi,
} from "../abis/index";

/** The ABIs of the seven protocol contracts, by contract name. */
export const protocolAbis = {
  AgentRegistry: agentRegistryAbi,
  IntentBook: intentBookAbi,
  PolicyModule: policyModuleAbi,
  AttestationRegistry: attestationRegistryAbi,
  SolverRegistry: solverRegistryAbi,
  AttestorRegistry: attestorRegistryAbi,
  CommerceRegistry: commerceRegistryAbi,
} as const;

export type ContractName = keyof typeof protocolAbis;

export const contractNames = [
  "AgentRegistry",
  "IntentBook",
  "PolicyModule",
  "AttestationRegistry",
  "SolverRegistry",
  "AttestorRegistry",
  "CommerceRegistry",
] as const satisfies readonly ContractName[];

/** The name of the environment variable for a contract's address, such as `AGENT_REGISTRY_ADDRESS`. */
export const addressVariable = (name: ContractName) =>
  `${name.replace(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase()}_ADDRESS`;
