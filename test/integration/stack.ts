import { type LocalChain, startChain } from "../../stack/chain";
import { deploy } from "../../stack/deploy";
import { deployTokens } from "../../stack/local-tokens";
import { freePorts } from "../../stack/ports";
import { type Protocol, protocolOn } from "../../stack/protocol";
import { SAMPLE_HISTORY_SECONDS, sampleActivity } from "../../stack/sample/index";
import { createTestDatabase } from "../support/database";
import { type Index, indexOf, type Sources } from "./index-of";

export type Stack = Protocol &
  Index & {
    chain: LocalChain;
    databaseUrl: string;
    stop: () => Promise<void>;
  };

type Options = {
  /** The URL of the PostgreSQL server; unset, the one of the whole run. */
  databaseServer?: string;
  /** False leaves the indexer to `startIndexer`. */
  index?: boolean;
  /** Whether the sample activity of `npm start` happens first. */
  sample?: boolean;
  /** Whether the chain gets the tokens and feeds of `npm start`, for portfolios. */
  tokens?: boolean;
  env?: NodeJS.ProcessEnv;
  sources?: Sources;
};

/** Starts the real parts on free ports and a temporary folder: anvil, the contracts, Ponder and the gateway. */
export async function startStack({
  databaseServer,
  index = true,
  sample = false,
  tokens = false,
  env = {},
  sources,
}: Options = {}): Promise<Stack> {
  const [port = 0] = await freePorts(1);
  const startTime = Math.floor(Date.now() / 1000) - SAMPLE_HISTORY_SECONDS;
  const chain = await startChain({ port, ...(sample && { startTime }) });
  const contracts = await deploy(chain.client);
  if (sample) await sampleActivity(protocolOn(chain.client, contracts), () => {});
  const tokenList = tokens ? await deployTokens(chain.client, contracts) : undefined;
  const database = await createTestDatabase("stack", databaseServer);
  const main = await indexOf(chain, contracts, { DATABASE_URL: database.url, ...env }, sources, tokenList);
  if (index) await main.startIndexer();
  return {
    ...protocolOn(chain.client, contracts),
    ...main,
    chain,
    databaseUrl: database.url,
    async stop() {
      await main.removeIndex();
      await chain.child.stop();
      await database.drop();
    },
  };
}
