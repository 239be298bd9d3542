import { resolve } from "node:path";
import type { Child } from "./child";
import { compile, compileIndexer } from "./compile.js";
import { GATEWAY_PROGRAM, type Gateway } from "./gateway";
import type { KeptRunning } from "./keep-running";
import { superviseGateways } from "./supervise-gateways";
import { type IndexerSupervision, superviseIndexer } from "./supervise-indexer";
import { type Edit, watchSources } from "./watch-sources";

const projectRoot = resolve(import.meta.dirname, "..");

export type IndexStack = {
  /** The gateway processes. They share one port. */
  gateways: readonly KeptRunning<Gateway>[];
  indexer: KeptRunning<Child>;
  /** Stops the gateways, after their requests in flight, and then the indexer. */
  stop: Child["stop"];
};

/** Runs an indexer and gateways on one database. With `watch`, reloads them on source edits. */
export async function startIndexStack(options: IndexerSupervision): Promise<IndexStack> {
  const { root = projectRoot, watch = false, onNotice } = options;
  // Both at once, because each takes seconds after an edit.
  await Promise.all([compileIndexer(root), compile(GATEWAY_PROGRAM, root)]);
  const index = await superviseIndexer(options);
  const gateways = await superviseGateways(() => ({ ...options, build: index.build() }));
  const reload = async ({ isShared }: Edit) => {
    try {
      if (isShared) {
        // An edit that does not compile must not stop the running indexer.
        await compileIndexer(root);
        await index.reload();
      }
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
