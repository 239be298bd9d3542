import { mkdir, writeFile } from "node:fs/promises";
import type { Environment } from "../../config/environment";
import { type LocalDeployment, localDeploymentFile } from "../../config/networks";
import { type LocalChain, signedByNode, startChain } from "./chain";
import { type Contracts, deploy } from "./deploy";
import { deployTokens } from "./local-tokens";
import { MARKET_HISTORY_SECONDS, type MarketNews, marketWeek, withMarketTokens } from "./market-week/index";
import { protocolOn } from "./protocol";
import { SAMPLE_HISTORY_SECONDS, sampleActivity } from "./sample/index";

/** The deployment of a chain that was just started: it has all contracts. */
export type NewDeployment = LocalDeployment & { contracts: Contracts };

/** A fresh chain with the contracts, and the activity that is added to it: the sample, and the market week if it is wanted. */
export type StartedChain = { deployment: NewDeployment; addActivity: () => Promise<MarketNews | undefined> };

/** Starts a fresh chain with the contracts, and writes the local deployment file. An indexer can start, and index the activity as it is added. */
export async function startLocalChain(
  { stateFolder, anvilPort, apiUrl, ponderPort, publicBaseUrl, sampleActivity: hasActivity }: Environment,
  onStarted: (chain: LocalChain) => void,
  onProgress: (what: string) => void,
  { hasMarketWeek = false } = {},
): Promise<StartedChain> {
  await mkdir(stateFolder, { recursive: true });
  onProgress("Starting a local chain");
  const present = Math.floor(Date.now() / 1000);
  const sampleEnd = hasActivity && hasMarketWeek ? present - MARKET_HISTORY_SECONDS : present;
  const chain = await startChain({
    port: anvilPort,
    startTime: hasActivity ? sampleEnd - SAMPLE_HISTORY_SECONDS : present,
  });
  onStarted(chain);
  onProgress("Deploying the contracts");
  const contracts = await deploy(chain.client);
  const tokens = await deployTokens(chain.client, contracts);
  const deployment: NewDeployment = {
    rpcUrl: chain.rpcUrl,
    chainId: await chain.client.getChainId(),
    apiUrl,
    ponderUrl: `http://127.0.0.1:${ponderPort}`,
    contracts,
    tokens: hasActivity && hasMarketWeek ? withMarketTokens(tokens) : tokens,
  };
  await writeFile(localDeploymentFile(stateFolder), `${JSON.stringify(deployment, null, 2)}\n`);
  return {
    deployment,
    async addActivity() {
      if (!hasActivity) return undefined;
      const protocol = protocolOn(chain.client, contracts, signedByNode);
      const baseUrl = publicBaseUrl ?? apiUrl;
      const report = (what: string) => onProgress(`Sample activity: ${what}`);
      await sampleActivity(protocol, baseUrl, report, BigInt(sampleEnd));
      if (!hasMarketWeek) return undefined;
      report("a week of trade");
      return marketWeek(protocol, tokens, baseUrl);
    },
  };
}
