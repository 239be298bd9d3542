import { REORG_BEYOND_FINALITY } from "../../config/exit-codes";
import { buildName, developmentBuild } from "../../config/index-build";
import { databaseReady, databaseWritable, manageBuilds, releaseLock } from "../index-builds";
import { requireFreePort } from "../roles/ports";
import type { Child } from "./child";
import { isListening, startIndexer } from "./indexer";
import { type KeptRunning, keepRunning } from "./keep-running";
import { restartPolicy, type Supervision, variablesOf } from "./supervision";

/**
 * Ponder's exit code for an invalid configuration, which a restart can't fix, and for an error in a handler, which may be
 * temporary: a full disk, or a block that a reorg removed.
 */
const PONDER_ERROR = 1;

export type IndexerSupervision = Supervision & {
  /** Called when the index contains orphaned blocks that Ponder can't revert. The indexer has ended then. */
  onReorgBeyondFinality?: () => void;
};

export type SupervisedIndexer = {
  indexer: KeptRunning<Child>;
  /** The schema of the build. */
  build: string;
  stop: Child["stop"];
};

/** Runs an indexer, and restarts it if it ends unexpectedly. Drops earlier builds of the index once it has caught up. */
export async function superviseIndexer(options: IndexerSupervision): Promise<SupervisedIndexer> {
  const { environment, databaseUrl, root, watch = false, onStarted, onLine, onNotice } = options;
  const { ponderPort, ponderHost, databaseSchema } = environment;
  const ownBuild = await buildName(databaseSchema, environment.network(), root);
  // Edits change the build, but not the schema of `ponder dev`.
  const build = watch ? developmentBuild(ownBuild) : ownBuild;
  const builds = manageBuilds({
    databaseUrl,
    build,
    onError: (error) => onNotice(`Can't drop earlier builds of the index, will retry: ${error}`),
  });
  let isFirst = true;
  /** Whether the running indexer has accepted its configuration. */
  let isConfigured = false;
  const indexer = await keepRunning({
    ...restartPolicy(options),
    onGivenUp(error, code) {
      if (code === REORG_BEYOND_FINALITY && options.onReorgBeyondFinality) options.onReorgBeyondFinality();
      else options.onGivenUp(error);
    },
    isFinal: (code) => code === REORG_BEYOND_FINALITY || (code === PONDER_ERROR && !isConfigured),
    async start() {
      await requireFreePort(ponderPort, "PONDER_PORT");
      if (!isFirst) {
        await databaseReady(databaseUrl, ({ message }) => onNotice(message), Number.POSITIVE_INFINITY);
        await databaseWritable(databaseUrl, onNotice);
        // The previous indexer, a child of this process, has ended and may not have released its lock.
        await releaseLock(databaseUrl, build);
      }
      isFirst = false;
      isConfigured = false;
      const started = startIndexer({
        ...(root !== undefined && { root }),
        ponderPort,
        ponderHost,
        schema: build,
        viewsSchema: databaseSchema,
        watch,
        env: variablesOf(options, build),
        onLine(line) {
          isConfigured ||= isListening(line);
          onLine(line);
        },
      });
      onStarted?.(started);
      return started;
    },
  });
  return {
    indexer,
    build,
    async stop(signal) {
      await indexer.stop(signal);
      await builds.stop();
    },
  };
}
