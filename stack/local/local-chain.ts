import { mkdir, writeFile } from "node:fs/promises";
import type { Environment } from "../../config/environment";
import { type LocalDeployment, localDeploymentFile } from "../../config/networks";
import { type LocalChain, signedByNode, startChain } from "./chain";
import { type Contracts, contracts, deploy } from "./deploy";
import { deployTokens, localTokens } from "./local-tokens";
import { MARKET_HISTORY_SECONDS } from "./market-week/calendar";
import type { MarketNews } from "./market-week/index";
import { withMarketTokens } from "./market-week/tokens";
import { protocolOn } from "./protocol";
import { SAMPLE_HISTORY_SECONDS, sampleActivity } from "./sample/index";

/** The deployment of a chain that was just started: it will have all contracts. */
export type NewDeployment = LocalDeployment & { contracts: Contracts };

export type StartedChain = {
  deployment: NewDeployment;
  /** Deploys the contracts, and adds the activity: the sample, and the market week if it is wanted. */
  seed: () => Promise<MarketNews | undefined>;
};

/**
 * Starts a fresh, empty chain, and writes the local deployment file. The addresses are known before the contracts are deployed,
 * so an indexer can start, and index what is added.
 */
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
  const { client, ...chain } = await startChain({
    port: anvilPort,
    startTime: hasActivity ? sampleEnd - SAMPLE_HISTORY_SECONDS : present,
  });
  onStarted({ client, ...chain });
  const deployment: NewDeployment = {
    rpcUrl: chain.rpcUrl,
    chainId: client.chain.id,
    apiUrl,
    ponderUrl: `http://127.0.0.1:${ponderPort}`,
    contracts,
    tokens: hasActivity && hasMarketWeek ? withMarketTokens(localTokens) : localTokens,
  };
  await writeFile(localDeploymentFile(stateFolder), `${JSON.stringify(deployment, null, 2)}\n`);
  return {
    deployment,
    async seed() {
      onProgress("Deploying the contracts");
      await deploy(client);
      const tokens = await deployTokens(client);
      if (!hasActivity) return undefined;
      const protocol = protocolOn(client, contracts, signedByNode);
      const baseUrl = publicBaseUrl ?? apiUrl;
      const report = (what: string) => onProgress(`Sample activity: ${what}`);
      await sampleActivity(protocol, baseUrl, report, BigInt(sampleEnd));
      if (!hasMarketWeek) return undefined;
      report("a week of trade");
      // The keys of its participants take long to compute. Meanwhile the indexer loads.
      const { marketWeek } = await import("./market-week/index");
      return marketWeek(protocol, tokens, baseUrl);
    },
  };
}
