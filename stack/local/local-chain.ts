import { mkdir, writeFile } from "node:fs/promises";
import type { Environment } from "../../config/environment";
import { type LocalDeployment, localDeploymentFile } from "../../config/networks";
import { type LocalChain, startChain } from "./chain";
import { type Contracts, deploy } from "./deploy";
import { clearLocalIndex } from "./fresh-index";
import { deployTokens } from "./local-tokens";
import { protocolOn } from "./protocol";
import { SAMPLE_HISTORY_SECONDS, sampleActivity } from "./sample/index";

/** The deployment of a chain that was just started: it has all contracts. */
export type NewDeployment = LocalDeployment & { contracts: Contracts };

/** Starts a fresh chain with the contracts and the sample activity, and writes the local deployment file. */
export async function startLocalChain(
  environment: Environment & { databaseUrl: string },
  onStarted: (chain: LocalChain) => void,
  onProgress: (what: string) => void,
): Promise<NewDeployment> {
  const { stateFolder, anvilPort, apiUrl, ponderPort, databaseUrl, databaseSchema } = environment;
  await mkdir(stateFolder, { recursive: true });
  await clearLocalIndex(databaseUrl, databaseSchema);
  onProgress("Starting a local chain");
  const present = Math.floor(Date.now() / 1000);
  const startTime = environment.sampleActivity ? present - SAMPLE_HISTORY_SECONDS : present;
  const chain = await startChain({ port: anvilPort, startTime });
  onStarted(chain);
  onProgress("Deploying the contracts");
  const contracts = await deploy(chain.client);
  if (environment.sampleActivity)
    await sampleActivity(protocolOn(chain.client, contracts), environment.publicBaseUrl ?? apiUrl, (what) =>
      onProgress(`Sample activity: ${what}`),
    );
  const tokens = await deployTokens(chain.client, contracts);
  const deployment: NewDeployment = {
    rpcUrl: chain.rpcUrl,
    chainId: await chain.client.getChainId(),
    apiUrl,
    ponderUrl: `http://127.0.0.1:${ponderPort}`,
    contracts,
    tokens,
  };
  await writeFile(localDeploymentFile(stateFolder), `${JSON.stringify(deployment, null, 2)}\n`);
  return deployment;
}
