import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { projectRoot } from "../../config/project-root";
import type { Child } from "./child";
import type { Gateway } from "./gateway";
import type { KeptRunning } from "./keep-running";
import { superviseGateways } from "./supervise-gateways";
import { type IndexerSupervision, superviseIndexer } from "./supervise-indexer";
import { watchSources } from "./watch-sources";

export type IndexStack = {
  /** The gateway processes. They share one port. */
  gateways: readonly KeptRunning<Gateway>[];
  indexer: KeptRunning<Child>;
  /** Stops the gateways, after their requests in flight, and then the indexer. */
  stop: Child["stop"];
};

/** Builds the programs of a checkout. Rejects with the compiler's message. */
const build = (root: string) =>
  promisify(execFile)(process.execPath, [join(root, "stack", "build.js")]).catch((error: { stderr: string }) => {
    throw new Error(error.stderr.trim());
  });

type Options = IndexerSupervision & {
  /** What to wait for between the start of the indexer and that of the gateways. */
  beforeServing?: () => Promise<unknown>;
};

/** Runs an indexer and gateways on one database. With `watch`, `ponder dev` reloads the indexer, and edits replace the gateways. */
export async function startIndexStack(options: Options): Promise<IndexStack> {
  const { root = projectRoot, watch = false, onNotice } = options;
  const index = await superviseIndexer(options);
  const startGateways = async () => {
    await options.beforeServing?.();
    return superviseGateways(() => ({ ...options, build: index.build }));
  };
  const gateways = await startGateways().catch(async (error: unknown) => {
    await index.stop();
    throw error;
  });
  const reload = async () => {
    try {
      await build(root);
      await gateways.replace();
    } catch (error) {
      onNotice(`${error instanceof Error ? error.message : error}. Still serving the last working version.`);
    }
  };
  const stopWatching = watch ? watchSources(root, reload) : () => {};
  return {
    gateways: gateways.gateways,
    indexer: index.indexer,
    async stop(signal) {
      stopWatching();
      await gateways.stop(signal);
      await index.stop(signal);
    },
  };
}
