import type { TokenList } from "../../config/token-list";
import { type LocalChain, signedByNode, startChain } from "../../stack/local/chain";
import { deploy } from "../../stack/local/deploy";
import { deployTokens } from "../../stack/local/local-tokens";
import { type Protocol, protocolOn } from "../../stack/local/protocol";
import { SAMPLE_HISTORY_SECONDS, sampleActivity } from "../../stack/local/sample/index";
import { freePorts } from "../../stack/roles/ports";
import { type Index, indexOf, type Sources } from "./index-of";
import { createDatabase, dropDatabase } from "./postgres-server";

export type Stack = Protocol &
  Index & {
    chain: LocalChain;
    databaseUrl: string;
    /** The tokens of `npm start`, if they were deployed. */
    tokens: TokenList | undefined;
    stop: () => Promise<void>;
  };

export type StackOptions = {
  /** If false, the caller starts the indexer with `startIndexer`. */
  index?: boolean;
  /** Whether to generate the sample activity of `npm start` first. */
  sample?: boolean;
  /** Whether a block may have thousands of transactions or events. Gas is free then. */
  bulk?: boolean;
  /** Whether to deploy the tokens and feeds of `npm start`, for portfolios. */
  tokens?: boolean;
  env?: NodeJS.ProcessEnv;
  sources?: Sources;
  /** Called with each log line of the indexer and the gateway. */
  onLine?: (line: string) => void;
};

/**
 * Starts the real parts on free ports and a temporary folder: anvil, the contracts, Ponder and the gateway.
 * The global setup calls this too, where vitest can't be imported.
 */
export async function startStackOn(
  databaseServer: string,
  { index = true, sample = false, bulk = false, tokens = false, env = {}, sources, onLine }: StackOptions = {},
): Promise<Stack> {
  const [port = 0, apiPort = 0] = await freePorts(2);
  const startTime = Math.floor(Date.now() / 1000) - SAMPLE_HISTORY_SECONDS;
  const chain = await startChain({ port, bulk, ...(sample && { startTime }) });
  const contracts = await deploy(chain.client);
  if (sample)
    await sampleActivity(protocolOn(chain.client, contracts, signedByNode), `http://127.0.0.1:${apiPort}`, () => {});
  const tokenList = tokens ? await deployTokens(chain.client) : undefined;
  const databaseUrl = await createDatabase(databaseServer, "stack");
  const variables = { DATABASE_URL: databaseUrl, API_PORT: String(apiPort), ...env };
  const main = await indexOf(chain, contracts, variables, sources, tokenList, onLine);
  if (index) await main.startIndexer();
  return {
    ...protocolOn(chain.client, contracts),
    ...main,
    chain,
    databaseUrl,
    tokens: tokenList,
    async stop() {
      await main.removeIndex();
      await chain.child.stop();
      await dropDatabase(databaseServer, databaseUrl);
    },
  };
}
