import { mkdir, writeFile } from "node:fs/promises";
import type { Environment } from "../../config/environment";
import { type LocalDeployment, localDeploymentFile } from "../../config/networks";
import { type LocalChain, signedByNode, startChain } from "./chain";
import { type Contracts, deploy } from "./deploy";
import { deployTokens } from "./local-tokens";
import { protocolOn } from "./protocol";
import { SAMPLE_HISTORY_SECONDS, sampleActivity } from "./sample/index";

/** The deployment of a chain that was just started: it has all contracts. */
export type NewDeployment = LocalDeployment & { contracts: Contracts };

/** A fresh chain with the contracts, and the sample activity that is added to it. */
export type StartedChain = { deployment: NewDeployment; addActivity: () => Promise<void> };

/** Starts a fresh chain with the contracts, and writes the local deployment file. An indexer can start, and index the activity as it is added. */
export async function startLocalChain(
  { stateFolder, anvilPort, apiUrl, ponderPort, publicBaseUrl, sampleActivity: hasActivity }: Environment,
  onStarted: (chain: LocalChain) => void,
  onProgress: (what: string) => void,
): Promise<StartedChain> {
  await mkdir(stateFolder, { recursive: true });
  onProgress("Starting a local chain");
  const present = Math.floor(Date.now() / 1000);
  const chain = await startChain({
    port: anvilPort,
    startTime: hasActivity ? present - SAMPLE_HISTORY_SECONDS : present,
  });
  onStarted(chain);
  onProgress("Deploying the contracts");
  const contracts = await deploy(chain.client);
  const deployment: NewDeployment = {
    rpcUrl: chain.rpcUrl,
    chainId: await chain.client.getChainId(),
    apiUrl,
    ponderUrl: `http://127.0.0.1:${ponderPort}`,
    contracts,
    tokens: await deployTokens(chain.client, contracts),
  };
  await writeFile(localDeploymentFile(stateFolder), `${JSON.stringify(deployment, null, 2)}\n`);
  return {
    deployment,
    async addActivity() {
      if (!hasActivity) return;
      await sampleActivity(protocolOn(chain.client, contracts, signedByNode), publicBaseUrl ?? apiUrl, (what) =>
        onProgress(`Sample activity: ${what}`),
      );
    },
  };
}
