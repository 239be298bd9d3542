import { readLocalDeployment } from "../../config/networks";

const deployment = readLocalDeployment(process.env.INTENTRY_DIR ?? ".intentry");

export const { chainId, contracts: deployed } = deployment;

/** The curated tokens of the local chain. */
export const listedTokens = deployment.tokens?.tokens ?? [];
