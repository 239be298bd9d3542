import type { Store } from "./open";

/** A store that opens on first use. A failed attempt is retried on the next use. */
export type LazyStore = {
  db: () => Promise<Store["db"]>;
  close: () => Promise<void>;
};

/** Wraps `open` so that concurrent callers share one attempt and a later call retries a failed one. */
export function createLazyStore(open: () => Promise<Store>): LazyStore {
  let opening: Promise<Store> | undefined;
  const opened = () => {
    opening ??= open().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
  return {
    db: async () => (await opened()).db,
    close: async () => (await opening?.catch(() => undefined))?.close(),
  };
}
