import { existsSync, readdirSync, watch } from "node:fs";
import { join } from "node:path";

/** Sources of the gateway and the explorer. */
const FOLDERS = ["abis", "api", "client", "common", "config", "explorer", "rpc", "src"];
const FILES = ["ponder.schema.ts"];

/** Debounce: editors write a file in several steps, and a checkout changes many files at once. */
const QUIET_MS = 100;

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
export function watchSources(root: string, onEdit: () => Promise<void>): () => void {
  let pending = false;
  let timer: NodeJS.Timeout | undefined;
  let running = false;
  const edited = () => {
    pending = true;
    clearTimeout(timer);
    timer = setTimeout(run, QUIET_MS);
  };
  const run = async () => {
    if (running) return;
    running = true;
    while (pending) {
      pending = false;
      await onEdit();
    }
    running = false;
  };
  const watchers = [
    ...FOLDERS.flatMap((name) => foldersBelow(join(root, name))).map((folder) => watch(folder, edited)),
    watch(root, (_, file) => {
      if (file !== null && FILES.includes(file)) edited();
    }),
  ];
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
}
