import {
  agentRegistryAbi,
  attestationRegistryAbi,
  attestorRegistryAbi,
  commerceRegistryAbi,
  intentBookAbi,
  policyModuleAbi,
  solverRegistryAbi,
} from "../abis/index";

/** The seven contracts of the protocol by name: what is indexed, deployed locally and named in the environment. */
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

/** The environment variable that names a contract's address: `AgentRegistry` is `AGENT_REGISTRY_ADDRESS`. */
export const addressVariable = (name: ContractName) =>
  `${name.replace(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase()}_ADDRESS`;
