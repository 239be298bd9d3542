import { existsSync, readdirSync, watch } from "node:fs";
import { join } from "node:path";

/** What only the gateway is made of, and what the indexer is made of too. */
const GATEWAY_FOLDERS = ["api"];
const SHARED_FOLDERS = ["abis", "config", "rpc", "src"];
const SHARED_FILES = ["ponder.config.ts", "ponder.schema.ts"];

/** Editors write a file in several steps, and a checkout changes many at once. */
const QUIET_MS = 100;

export type Edit = {
  /** Whether the indexer is made of what was edited, and not only the gateway. */
  isShared: boolean;
};

/**
 * A folder and those below it, each to be watched by itself: Node's recursive watcher loses a file that an editor replaces
 * by another of the same name, which is how most of them save.
 */
const foldersBelow = (folder: string): string[] =>
  existsSync(folder)
    ? [
        folder,
        ...readdirSync(folder, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isDirectory())
          .map((entry) => join(entry.parentPath, entry.name)),
      ]
    : [];

/** Calls `onEdit` after edits of the sources, one call at a time. Returns the function that stops it. */
export function watchSources(root: string, onEdit: (edit: Edit) => Promise<void>): () => void {
  let pending: Edit | undefined;
  let timer: NodeJS.Timeout | undefined;
  let running = false;
  const edited = (isShared: boolean) => {
    pending = { isShared: isShared || pending?.isShared === true };
    clearTimeout(timer);
    timer = setTimeout(run, QUIET_MS);
  };
  const run = async () => {
    if (running) return;
    running = true;
    while (pending) {
      const edit = pending;
      pending = undefined;
      await onEdit(edit);
    }
    running = false;
  };
  const watchFolder = (isShared: boolean) => (name: string) =>
    foldersBelow(join(root, name)).map((folder) => watch(folder, () => edited(isShared)));
  const watchers = [
    ...GATEWAY_FOLDERS.flatMap(watchFolder(false)),
    ...SHARED_FOLDERS.flatMap(watchFolder(true)),
    watch(root, (_, file) => {
      if (file !== null && SHARED_FILES.includes(file)) edited(true);
    }),
  ];
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
}
