import { contractNames } from "../../config/contracts";
import { readLocalDeployment } from "../../config/networks";

const deployment = readLocalDeployment(process.env.INTENTRY_DIR ?? ".intentry");

export const { chainId, contracts: deployed } = deployment;

/** The contracts of the protocol. The deployment file has others too. */
export const protocol = {
  chain_id: chainId,
  contracts: Object.fromEntries(contractNames.map((name) => [name, deployed[name]])),
};

/** The curated tokens of the local chain. */
export const listedTokens = deployment.tokens?.tokens ?? [];
