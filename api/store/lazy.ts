import type { Store } from "./open";

declare global {
  /** Outlives a hot reload, so that reloads don't add up connections. */
  var intentryStore: LazyStore | undefined;
}

/** A store that is opened when it is first needed, and again when that failed. */
export type LazyStore = {
  db: () => Promise<Store["db"]>;
  close: () => Promise<void>;
};

/** Keeps one attempt to open the store for all who ask at once; a database that is away at first is found later. */
export function lazily(open: () => Promise<Store>): LazyStore {
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
