import { type Environment, parseEnvironment } from "../../config/environment";
import { projectRoot } from "../../config/project-root";
import { reorgSentence } from "../../config/reindex";
import { databaseReady } from "../index-builds";
import { connect, mineEvery } from "../local/chain";
import { clearLocalIndex } from "../local/fresh-index";
import { startLocalChain } from "../local/local-chain";
import type { MarketNews } from "../local/market-week/index";
import { startEmbeddedPostgres } from "../local/postgres/embedded";
import { usageOf } from "../local/usage";
import { requireWritableTypes } from "../roles/ponder";
import { requireSessions } from "../roles/pool-mode";
import { requireFreePort } from "../roles/ports";
import { publishOwnSettings } from "../roles/settings";
import { startIndexStack } from "./index-stack";
import { gatewayResponds, indexReady } from "./indexer";
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

/** The URL of the database, once it answers and has what this start needs. */
async function readyDatabase(supervisor: Supervisor, environment: Environment): Promise<string> {
  const databaseUrl = environment.databaseUrl ?? (await startDatabase(supervisor, environment));
  await databaseReady(databaseUrl, (error) => supervisor.log.step(`${error.message}. Retrying for up to a minute`));
  await requireSessions(environment, databaseUrl);
  const { networkName, databaseSchema } = environment;
  if (networkName === "local") await clearLocalIndex(databaseUrl, databaseSchema);
  else await publishOwnSettings(databaseUrl, databaseSchema, process.env);
  return databaseUrl;
}

/** What the service publishes about the activity: documents, which need only the store, and then what is about records. */
async function publicationOf({ apiUrl, writeTokens, devHelpers }: Environment, news: MarketNews | undefined) {
  // They load all operations. Meanwhile the indexer loads.
  const [{ sampleWrites, sendAll }, { newsWrites }] = await Promise.all([
    import("../local/sample/published"),
    import("../local/market-week/published"),
  ]);
  const all = [sampleWrites(), ...(news ? [newsWrites(news, devHelpers)] : [])];
  const [writeToken] = writeTokens;
  return {
    documents: () =>
      sendAll(
        apiUrl,
        writeToken,
        all.flatMap(({ documents }) => documents),
      ),
    aboutRecords: () =>
      sendAll(
        apiUrl,
        writeToken,
        all.flatMap(({ aboutRecords }) => aboutRecords),
      ),
  };
}

/** Runs the indexer and the gateways, and what they need: a database and a chain, unless they are configured. */
export async function startAll(supervisor: Supervisor, isDevelopment: boolean): Promise<void> {
  const { log } = supervisor;
  const environment = parseEnvironment(process.env);
  requireWritableTypes(projectRoot);
  const { networkName, apiPort, apiUrl, ponderPort, anvilPort } = environment;
  await supervisor.own(environment.stateFolder);
  await requireFreePort(apiPort, "API_PORT");
  await requireFreePort(ponderPort, "PONDER_PORT");
  if (networkName === "local") await requireFreePort(anvilPort, "ANVIL_PORT");
  const [databaseUrl, local] = await Promise.all([
    readyDatabase(supervisor, environment),
    networkName === "local"
      ? startLocalChain(environment, ({ child }) => supervisor.require(child), log.step, { hasMarketWeek: true })
      : undefined,
  ]);
  log.step("Starting the indexer");
  const env = isDevelopment ? { NODE_ENV: "development", ...process.env } : process.env;
  const supervision = await supervisor.supervision(environment, databaseUrl, env);
  let seeded: Promise<MarketNews | undefined> | undefined;
  // The indexer loads its modules while the contracts are deployed and the activity is added.
  const beforeServing = async () => {
    seeded ??= local?.seed();
    await seeded;
    log.step("Starting the gateway");
  };
  const stack = supervisor.run(() =>
    startIndexStack({
      ...supervision,
      watch: isDevelopment,
      beforeServing,
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
  if (!local) {
    log.done(`Indexing ${networkName}. ${apiUrl}/ready returns 200 once the index has caught up. Stop with Ctrl-C.`);
    supervisor.showBackfill(environment, () => readProgress(environment));
    return;
  }
  const { deployment } = local;
  const chain = connect(deployment.rpcUrl);
  const stopWatching = watchProgress({
    read: () => readProgress(environment),
    intervalMs: PROGRESS_MS,
    onProgress: (progress, eventsPerSecond) => log.detail(progressText(progress, eventsPerSecond)),
    onReady: () => {},
  });
  const publishing = environment.sampleActivity ? await publicationOf(environment, await seeded) : undefined;
  const publishDocuments = async () => {
    await gatewayResponds(indexer.current(), apiUrl);
    await publishing?.documents();
  };
  const caughtUp = chain.getBlockNumber().then((block) => indexReady(indexer.current(), apiUrl, block));
  await Promise.all([caughtUp, publishDocuments()]).finally(stopWatching);
  // One gateway answers already. Wait for the others too, or until they have ended and are restarted.
  await Promise.allSettled(gateways.map((gateway) => gateway.current().listening));
  log.done("The index has caught up");
  await publishing?.aboutRecords();
  mineEvery(chain, BLOCK_TIME_MS);
  log.end();
  supervisor.print(usageOf(deployment, environment.sampleActivity));
}
