import { existsSync, readdirSync, watch } from "node:fs";
import { join } from "node:path";

/** Sources of the gateway and the explorer only, and sources that the indexer shares. */
const GATEWAY_FOLDERS = ["api", "client", "explorer"];
const SHARED_FOLDERS = ["abis", "config", "rpc", "src", "workarounds"];
const SHARED_FILES = ["ponder.config.ts", "ponder.schema.ts"];

/** Debounce: editors write a file in several steps, and a checkout changes many files at once. */
const QUIET_MS = 100;

export type Edit = {
  /** Whether the edit affects the indexer too, and not only the gateway. */
  isShared: boolean;
};

/**
 * A folder and its subfolders, to watch each separately. Most editors save by replacing the file, and Node's recursive
 * watcher loses replaced files.
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

/** Calls `onEdit` after source edits, one call at a time. Returns a function that stops watching. */
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
