import { resolve } from "node:path";
import type { Environment } from "../config/environment";
import { CONFIGURATION_ERROR } from "../config/exit-codes";
import { buildSchema } from "../config/index-build";
import type { Child } from "./child";
import { type Gateway, startGateway } from "./gateway";
import { databaseReady, manageBuilds, releaseLock } from "./index-builds";
import { startIndexer } from "./indexer";
import { type KeptRunning, keepRunning } from "./keep-running";
import { requireFreePort } from "./ports";
import { isUnrecoverableReorg } from "./unrecoverable-reorg";
import { type Edit, watchSources } from "./watch-sources";

const projectRoot = resolve(import.meta.dirname, "..");

/** Ponder's exit code for an error that a restart does not mend, such as a wrong configuration. */
const PONDER_USER_ERROR = 1;

type Options = {
  environment: Environment;
  databaseUrl: string;
  /** The environment of both processes. */
  env: NodeJS.ProcessEnv;
  /** The checkout whose sources run; unset, this one. */
  root?: string;
  /** Whether an edit of the sources takes effect without a restart of the stack. */
  watch?: boolean;
  /** Called with each process that is started. */
  onStarted?: (child: Child) => void;
  /** Called with each line of the indexer's and the gateway's log. */
  onLine: (line: string) => void;
  /** Called with what an operator should know. */
  onNotice: (sentence: string) => void;
  /** Called once when the index holds blocks that the chain has replaced and Ponder can't revert. */
  onReorgBeyondFinality?: () => void;
  /** Called when a process has ended and is not started again. */
  onGivenUp: (error: Error) => void;
};

export type IndexStack = {
  gateway: KeptRunning<Gateway>;
  indexer: KeptRunning<Child>;
  /** Stops the gateway, once it has answered its requests, and then the indexer. */
  stop: Child["stop"];
};

/** Runs an indexer and a gateway on one database, and starts each of them again when it ends unexpectedly. */
export async function startIndexStack({
  environment,
  databaseUrl,
  env,
  root = projectRoot,
  watch = false,
  onStarted = () => {},
  onLine: onAnyLine,
  onNotice,
  onReorgBeyondFinality = () => {},
  onGivenUp,
}: Options): Promise<IndexStack> {
  const { apiPort, ponderPort, databaseSchema } = environment;
  const openBuild = async () => {
    const network = environment.network();
    const schema = await buildSchema(databaseSchema, network, root);
    const builds = await manageBuilds({
      databaseUrl,
      databaseSchema,
      build: schema,
      chainId: network.chainId,
      onError: (error) => onNotice(`Earlier builds of the index could not be dropped: ${error}`),
    });
    return { schema, stop: builds.stop };
  };
  let build = await openBuild();
  const variables = () => ({
    ...env,
    DATABASE_URL: databaseUrl,
    DATABASE_SCHEMA: databaseSchema,
    INDEX_SCHEMA: build.schema,
    API_PORT: String(apiPort),
  });
  const policy = {
    onRestart: ({ message }: Error, delayMs: number) =>
      onNotice(`${message}\nIt is started again in ${delayMs / 1000} s.`),
    onGivenUp: watch
      ? (error: Error) => onNotice(`${error.message}\nIt is started again after the next edit.`)
      : onGivenUp,
  };

  const started = <Kind extends Child>(child: Kind) => {
    onStarted(child);
    return child;
  };
  let isReported = false;
  const onLine = (line: string) => {
    onAnyLine(line);
    if (isReported || !isUnrecoverableReorg(line)) return;
    isReported = true;
    onReorgBeyondFinality();
  };
  let isFirst = true;
  const indexer = await keepRunning({
    ...policy,
    isFinal: (code) => code === PONDER_USER_ERROR,
    async start() {
      await requireFreePort(ponderPort, "PONDER_PORT");
      if (!isFirst) {
        await databaseReady(databaseUrl, ({ message }) => onNotice(message));
        // Its predecessor was started by this process and has ended, perhaps without releasing its lock.
        await releaseLock(databaseUrl, build.schema);
      }
      isFirst = false;
      const { schema } = build;
      const views = databaseSchema;
      return started(startIndexer({ root, ponderPort, schema, viewsSchema: views, env: variables(), onLine }));
    },
  });
  const gateway = await keepRunning({
    ...policy,
    isFinal: (code) => code === CONFIGURATION_ERROR,
    start: async () => started(startGateway({ root, env: variables(), onLine })),
  });

  const reload = async ({ isShared }: Edit) => {
    try {
      if (isShared) {
        await build.stop();
        build = await openBuild();
        await indexer.restart();
      }
      await gateway.replace((next) => next.listening);
    } catch (error) {
      onNotice(`${error instanceof Error ? error.message : error}. The last version that worked is still served.`);
    }
  };
  const stopWatching = watch ? watchSources(root, reload) : () => {};
  return {
    gateway,
    indexer,
    async stop(signal) {
      stopWatching();
      await gateway.stop(signal);
      await indexer.stop(signal);
      await build.stop();
    },
  };
}
