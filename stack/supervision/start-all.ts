import { type Environment, parseEnvironment } from "../../config/environment";
import type { LocalDeployment } from "../../config/networks";
import { projectRoot } from "../../config/project-root";
import { reorgSentence } from "../../config/reindex";
import { databaseReady } from "../index-builds";
import { connect, mineEvery } from "../local/chain";
import { startLocalChain } from "../local/local-chain";
import { startEmbeddedPostgres } from "../local/postgres/embedded";
import { publishExamples } from "../local/sample/published";
import { usageOf } from "../local/usage";
import { requireWritableTypes } from "../roles/ponder";
import { requireSessions } from "../roles/pool-mode";
import { requireFreePort } from "../roles/ports";
import { publishOwnSettings } from "../roles/settings";
import { startIndexStack } from "./index-stack";
import { indexReady } from "./indexer";
import { progressText, readProgress, watchProgress } from "./progress";
import { repairAfterReorg } from "./repair";
import { PROGRESS_MS, type Supervisor } from "./supervisor";

/** The local chain mines a block for every transaction, and also at this interval. */
const BLOCK_TIME_MS = 2_000;

async function startDatabase({ log, keep, printError }: Supervisor, { stateFolder }: Environment): Promise<string> {
  log.step("Starting PostgreSQL");
  const { child, databaseUrl, startAgain } = await startEmbeddedPostgres(stateFolder);
  await keep(child, () => startAgain(printError));
  return databaseUrl;
}

/** Runs the indexer and the gateways, and what they need: a database and a chain, unless they are configured. */
export async function startAll(supervisor: Supervisor, isDevelopment: boolean): Promise<void> {
  const { log } = supervisor;
  const environment = parseEnvironment(process.env);
  requireWritableTypes(projectRoot);
  const { networkName, apiPort, apiUrl, ponderPort, anvilPort, databaseSchema } = environment;
  await supervisor.own(environment.stateFolder);
  await requireFreePort(apiPort, "API_PORT");
  await requireFreePort(ponderPort, "PONDER_PORT");
  if (networkName === "local") await requireFreePort(anvilPort, "ANVIL_PORT");
  const databaseUrl = environment.databaseUrl ?? (await startDatabase(supervisor, environment));
  await databaseReady(databaseUrl, (error) => log.step(`${error.message}. Retrying for up to a minute`));
  await requireSessions(environment, databaseUrl);

  let deployment: LocalDeployment | undefined;
  if (networkName === "local")
    deployment = await startLocalChain(
      { ...environment, databaseUrl },
      (chain) => supervisor.require(chain.child),
      log.step,
    );
  else await publishOwnSettings(databaseUrl, databaseSchema, process.env);
  log.step("Starting the indexer and the gateway");
  const env = isDevelopment ? { NODE_ENV: "development", ...process.env } : process.env;
  const supervision = await supervisor.supervision(environment, databaseUrl, env);
  const stack = supervisor.run(() =>
    startIndexStack({
      ...supervision,
      watch: isDevelopment,
      onReorgBeyondFinality: () => void repair().catch(supervisor.fail),
    }),
  );
  const repair = async () => {
    const index = await stack.current();
    const reason = reorgSentence(networkName);
    for (const gateway of index.gateways) gateway.current().reportFailure(reason);
    const control = { stop: () => index.stop(), restart: stack.restart };
    await repairAfterReorg(supervisor, reason, environment, databaseUrl, control);
  };
  const { indexer, gateways } = await stack.current();
  if (!deployment) {
    log.done(`Indexing ${networkName}. ${apiUrl}/ready returns 200 once the index has caught up. Stop with Ctrl-C.`);
    supervisor.showBackfill(environment, () => readProgress(environment));
    return;
  }
  const chain = connect(deployment.rpcUrl);
  const stopWatching = watchProgress({
    read: () => readProgress(environment),
    intervalMs: PROGRESS_MS,
    onProgress: (progress, eventsPerSecond) => log.detail(progressText(progress, eventsPerSecond)),
    onReady: () => {},
  });
  await indexReady(indexer.current(), apiUrl, await chain.getBlockNumber()).finally(stopWatching);
  // One gateway answers already. Wait for the others too, or until they have ended and are restarted.
  await Promise.allSettled(gateways.map((gateway) => gateway.current().listening));
  log.done("The index has caught up");
  if (environment.sampleActivity) {
    log.step("Sample activity: documents, a schema and metadata");
    await publishExamples(deployment.apiUrl, environment.writeTokens[0]);
  }
  mineEvery(chain, BLOCK_TIME_MS);
  log.end();
  supervisor.print(usageOf(deployment, environment.sampleActivity));
}
