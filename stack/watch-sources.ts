import { existsSync, watch } from "node:fs";
import { join } from "node:path";

/** What the gateway is made of. Ponder watches the handlers by itself. */
const WATCHED = ["abis", "api", "config", "rpc", "ponder.schema.ts"];

/** Editors write a file in several steps, and a checkout changes many at once. */
const QUIET_MS = 100;

/** Calls `onEdit` after each edit of the gateway's sources, one call at a time. Returns the function that stops it. */
export function watchSources(root: string, onEdit: () => Promise<void>): () => void {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let again = false;
  const edited = () => {
    clearTimeout(timer);
    timer = setTimeout(run, QUIET_MS);
  };
  const run = () => {
    if (running) {
      again = true;
      return;
    }
    running = onEdit().finally(() => {
      running = undefined;
      if (again) edited();
      again = false;
    });
  };
  const watchers = WATCHED.map((path) => join(root, path))
    .filter((path) => existsSync(path))
    .map((path) => watch(path, { recursive: true }, edited));
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
}
