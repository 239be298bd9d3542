import { addressVariable, type ContractName, contractNames, requiredContracts } from "./contracts";
import { baseSepolia, LOCAL_CHAIN_ID, type Network, readLocalDeployment } from "./networks";
import type { Variables } from "./variables/index";

/** The name of the network to index. Default: `custom` with CHAIN_ID, otherwise `local`. */
export const networkNameOf = ({ NETWORK, CHAIN_ID }: Pick<Variables, "NETWORK" | "CHAIN_ID">): Network["name"] =>
  NETWORK ?? (CHAIN_ID === undefined ? "local" : "custom");

/** Missing or contradictory network variables, one line each. */
export function networkProblems(variables: Variables): string[] {
  const networkName = networkNameOf(variables);
  const problems: string[] = [];
  const requireSet = (name: string, value: unknown) => {
    if (value === undefined) problems.push(`${name}: is required when the network is ${networkName}`);
  };
  if (networkName !== "local") requireSet("RPC_URL", variables.RPC_URL);
  if (networkName === "custom") {
    requireSet("CHAIN_ID", variables.CHAIN_ID);
    requireSet("START_BLOCK", variables.START_BLOCK);
    for (const name of requiredContracts) requireSet(addressVariable(name), variables[addressVariable(name)]);
  }
  if (networkName === "base-sepolia" && (variables.CHAIN_ID ?? baseSepolia.chainId) !== baseSepolia.chainId)
    problems.push(`CHAIN_ID: must be ${baseSepolia.chainId} or unset when the network is base-sepolia`);
  return problems;
}

/** The start blocks of later contracts, if their addresses and the start block are those of the preset. */
const laterStartBlocks = (
  { startBlocks }: typeof baseSepolia,
  { START_BLOCK, SETTLEMENT_ADAPTER_ADDRESS }: Variables,
) => (START_BLOCK === undefined && SETTLEMENT_ADAPTER_ADDRESS === undefined ? startBlocks : {});

/** Reads the network to index. The local deployment file exists only once the local chain is up. */
export function indexedNetwork(variables: Variables): Network {
  const name = networkNameOf(variables);
  if (name === "local") {
    const deployment = readLocalDeployment(variables.INTENTRY_DIR);
    return {
      name,
      chainId: deployment.chainId,
      rpcUrls: [deployment.rpcUrl],
      startBlock: 0,
      contracts: deployment.contracts,
      testDollar: deployment.contracts.TestDollar,
    };
  }
  const preset = name === "base-sepolia" ? baseSepolia : undefined;
  const addressOf = (contract: ContractName) => variables[addressVariable(contract)] ?? preset?.contracts[contract];
  return {
    name,
    chainId: variables.CHAIN_ID ?? preset?.chainId ?? LOCAL_CHAIN_ID,
    rpcUrls: variables.RPC_URL ?? [],
    startBlock: variables.START_BLOCK ?? preset?.startBlock ?? 0,
    contracts: Object.fromEntries(
      contractNames.flatMap((contract) => {
        const address = addressOf(contract);
        return address === undefined ? [] : [[contract, address]];
      }),
    ) as Network["contracts"],
    ...(preset && { startBlocks: laterStartBlocks(preset, variables) }),
  };
}
