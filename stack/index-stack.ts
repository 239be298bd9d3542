import { resolve } from "node:path";
import type { Environment } from "../config/environment";
import { CONFIGURATION_ERROR } from "../config/exit-codes";
import { buildSchema } from "../config/index-build";
import type { Child } from "./child";
import { compile, compileIndexer } from "./compile.js";
import { GATEWAY_PROGRAM, type Gateway, startGateway } from "./gateway";
import { databaseReady, manageBuilds, releaseLock } from "./index-builds";
import { isListening, startIndexer } from "./indexer";
import { type KeptRunning, keepRunning } from "./keep-running";
import { requireFreePort } from "./ports";
import { isUnrecoverableReorg } from "./unrecoverable-reorg";
import { type Edit, watchSources } from "./watch-sources";

const projectRoot = resolve(import.meta.dirname, "..");

/**
 * Ponder's exit code for an invalid configuration, which a restart can't fix, and for an error in a handler, which may be
 * temporary: a full disk, or a block that a reorg removed.
 */
const PONDER_ERROR = 1;

type Options = {
  environment: Environment;
  databaseUrl: string;
  /** The environment of all processes. */
  env: NodeJS.ProcessEnv;
  /** The checkout to run. Default: this one. */
  root?: string;
  /** Whether to reload on source edits. */
  watch?: boolean;
  /** Called with each started process. */
  onStarted?: (child: Child) => void;
  /** Called with each line of the indexer's and the gateway's log. */
  onLine: (line: string) => void;
  /** Called with messages for the operator. */
  onNotice: (sentence: string) => void;
  /** Called once when the index contains orphaned blocks that Ponder can't revert. */
  onReorgBeyondFinality?: () => void;
  /** Called when a process has ended and will not be restarted. */
  onGivenUp: (error: Error) => void;
};

export type IndexStack = {
  /** The gateway processes. They share one port. */
  gateways: readonly KeptRunning<Gateway>[];
  indexer: KeptRunning<Child>;
  /** Stops the gateways, after their requests in flight, and then the indexer. */
  stop: Child["stop"];
};

/** Runs an indexer and gateways on one database, and restarts each of them if it ends unexpectedly. */
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
  const { apiPort, apiWorkers, ponderPort, databaseSchema } = environment;
  const openBuild = async () => {
    const network = environment.network();
    const schema = await buildSchema(databaseSchema, network, root);
    const builds = await manageBuilds({
      databaseUrl,
      databaseSchema,
      build: schema,
      chainId: network.chainId,
      onError: (error) => onNotice(`Can't drop earlier builds of the index, will retry: ${error}`),
    });
    return { schema, stop: builds.stop };
  };
  // Both at once, because each takes seconds after an edit.
  await Promise.all([compileIndexer(root), compile(GATEWAY_PROGRAM, root)]);
  let build = await openBuild();
  const variables = () => ({
    ...env,
    DATABASE_URL: databaseUrl,
    DATABASE_SCHEMA: databaseSchema,
    INDEX_SCHEMA: build.schema,
    API_PORT: String(apiPort),
  });
  const policy = {
    onRestart: ({ message }: Error, delayMs: number) => onNotice(`${message}\nRestarting in ${delayMs / 1000} s.`),
    onGivenUp: watch ? (error: Error) => onNotice(`${error.message}\nRestarting after the next edit.`) : onGivenUp,
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
  /** Whether the running indexer has accepted its configuration. */
  let isConfigured = false;
  const onIndexerLine = (line: string) => {
    isConfigured ||= isListening(line);
    onLine(line);
  };
  const indexer = await keepRunning({
    ...policy,
    // In development the cause is most likely the last edit.
    isFinal: (code) => code === PONDER_ERROR && (watch || !isConfigured),
    async start() {
      await requireFreePort(ponderPort, "PONDER_PORT");
      if (!isFirst) {
        await databaseReady(databaseUrl, ({ message }) => onNotice(message));
        // The previous indexer, a child of this process, has ended and may not have released its lock.
        await releaseLock(databaseUrl, build.schema);
      }
      isFirst = false;
      isConfigured = false;
      const options = { root, ponderPort, schema: build.schema, viewsSchema: databaseSchema, env: variables() };
      return started(await startIndexer({ ...options, onLine: onIndexerLine }));
    },
  });
  const startWorker = () =>
    keepRunning({
      ...policy,
      isFinal: (code) => code === CONFIGURATION_ERROR,
      start: async () => started(await startGateway({ root, env: variables(), onLine })),
    });
  const gateways = await Promise.all(Array.from({ length: apiWorkers }, startWorker));

  const reload = async ({ isShared }: Edit) => {
    try {
      if (isShared) {
        // An edit that does not compile must not stop the running indexer.
        await compileIndexer(root);
        await build.stop();
        build = await openBuild();
        await indexer.restart();
      }
      for (const gateway of gateways) await gateway.replace((next) => next.listening);
    } catch (error) {
      onNotice(`${error instanceof Error ? error.message : error}. Still serving the last working version.`);
    }
  };
  const stopWatching = watch ? watchSources(root, reload) : () => {};
  return {
    gateways,
    indexer,
    async stop(signal) {
      stopWatching();
      await Promise.all(gateways.map((gateway) => gateway.stop(signal)));
      await indexer.stop(signal);
      await build.stop();
    },
  };
}
