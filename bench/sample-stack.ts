import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Environment, parseEnvironment } from "../config/environment";
import { connect } from "../stack/local/chain";
import { type NewDeployment, startLocalChain } from "../stack/local/local-chain";
import { publishExamples } from "../stack/local/sample/published";
import { freePorts } from "../stack/roles/ports";
import type { Child } from "../stack/supervision/child";
import { type IndexStack, startIndexStack } from "../stack/supervision/index-stack";
import { indexReady } from "../stack/supervision/indexer";
import { startPostgres } from "../test/support/postgres-server";

export type SampleStack = {
  apiUrl: string;
  deployment: NewDeployment;
  environment: Environment;
  /** The variables of all processes. */
  env: NodeJS.ProcessEnv;
  index: IndexStack;
  stop: () => Promise<void>;
};

export const urlOf = (port: number) => `http://127.0.0.1:${port}`;

/**
 * Starts PostgreSQL, a chain with the sample activity, the indexer and the gateway, with production settings. The chain mines
 * only for transactions, so the index does not change once it has caught up.
 */
export async function startSampleStack(onProgress: (what: string) => void): Promise<SampleStack> {
  const stops: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const stopOne of stops.reverse()) await stopOne();
  };
  try {
    const [anvilPort = 0, ponderPort = 0, apiPort = 0] = await freePorts(3);
    const stateFolder = await mkdtemp(join(tmpdir(), "intentry-bench-"));
    stops.push(() => rm(stateFolder, { recursive: true, force: true }));
    onProgress("Starting PostgreSQL");
    const postgres = await startPostgres();
    stops.push(postgres.stop);
    const databaseUrl = await postgres.createDatabase("sample");
    const env: NodeJS.ProcessEnv = {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_ENV: "production",
      INTENTRY_DIR: stateFolder,
      DATABASE_URL: databaseUrl,
      API_PORT: String(apiPort),
      PONDER_PORT: String(ponderPort),
      ANVIL_PORT: String(anvilPort),
    };
    const environment = parseEnvironment(env);
    const onChain = (chain: { child: Child }) => stops.push(chain.child.stop);
    const { deployment, seed } = await startLocalChain(environment, onChain, onProgress);
    await seed();

    onProgress("Starting the indexer and the gateway");
    const onGivenUp = (error: Error) => {
      throw error;
    };
    const index = await startIndexStack({
      environment,
      databaseUrl,
      env,
      onLine() {},
      onNotice: onProgress,
      onGivenUp,
    });
    stops.push(index.stop);
    const apiUrl = urlOf(apiPort);
    await indexReady(index.indexer.current(), apiUrl, await connect(deployment.rpcUrl).getBlockNumber());
    await publishExamples(apiUrl, undefined);
    return { apiUrl, deployment, environment, env, index, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
