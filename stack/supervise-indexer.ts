import { buildName } from "../config/index-build";
import type { Child } from "./child";
import { databaseReady, databaseWritable, manageBuilds, releaseLock } from "./index-builds";
import { isListening, startIndexer } from "./indexer";
import { type KeptRunning, keepRunning } from "./keep-running";
import { requireFreePort } from "./ports";
import { restartPolicy, type Supervision, variablesOf } from "./supervision";
import { isUnrecoverableReorg } from "./unrecoverable-reorg";

/**
 * Ponder's exit code for an invalid configuration, which a restart can't fix, and for an error in a handler, which may be
 * temporary: a full disk, or a block that a reorg removed.
 */
const PONDER_ERROR = 1;

export type IndexerSupervision = Supervision & {
  /** Called once when the index contains orphaned blocks that Ponder can't revert. */
  onReorgBeyondFinality?: () => void;
};

export type SupervisedIndexer = {
  indexer: KeptRunning<Child>;
  /** The schema of the build. */
  build: () => string;
  /** Restarts the indexer with the current sources. They must compile. */
  reload: () => Promise<void>;
  stop: Child["stop"];
};

/** Runs an indexer, and restarts it if it ends unexpectedly. Drops earlier builds of the index once it has caught up. */
export async function superviseIndexer(options: IndexerSupervision): Promise<SupervisedIndexer> {
  const { environment, databaseUrl, root, watch = false, onStarted, onLine, onNotice } = options;
  const { ponderPort, ponderHost, databaseSchema } = environment;
  const openBuild = async () => {
    const schema = await buildName(databaseSchema, environment.network(), root);
    const builds = manageBuilds({
      databaseUrl,
      build: schema,
      onError: (error) => onNotice(`Can't drop earlier builds of the index, will retry: ${error}`),
    });
    return { schema, stop: builds.stop };
  };
  let build = await openBuild();
  let isReported = false;
  let isFirst = true;
  /** Whether the running indexer has accepted its configuration. */
  let isConfigured = false;
  const onIndexerLine = (line: string) => {
    isConfigured ||= isListening(line);
    onLine(line);
    if (isReported || !isUnrecoverableReorg(line)) return;
    isReported = true;
    options.onReorgBeyondFinality?.();
  };
  const indexer = await keepRunning({
    ...restartPolicy(options),
    // In development the cause is most likely the last edit.
    isFinal: (code) => code === PONDER_ERROR && (watch || !isConfigured),
    async start() {
      await requireFreePort(ponderPort, "PONDER_PORT");
      if (!isFirst) {
        await databaseReady(databaseUrl, ({ message }) => onNotice(message), Number.POSITIVE_INFINITY);
        await databaseWritable(databaseUrl, onNotice);
        // The previous indexer, a child of this process, has ended and may not have released its lock.
        await releaseLock(databaseUrl, build.schema);
      }
      isFirst = false;
      isConfigured = false;
      const env = variablesOf(options, build.schema);
      const started = await startIndexer({
        ...(root !== undefined && { root }),
        ponderPort,
        ponderHost,
        schema: build.schema,
        viewsSchema: databaseSchema,
        env,
        onLine: onIndexerLine,
      });
      onStarted?.(started);
      return started;
    },
  });
  return {
    indexer,
    build: () => build.schema,
    async reload() {
      await build.stop();
      build = await openBuild();
      await indexer.restart();
    },
    async stop(signal) {
      await indexer.stop(signal);
      await build.stop();
    },
  };
}
