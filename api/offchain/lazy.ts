import type { Store } from "./open";

/** Loads a value on first use. Concurrent callers share one attempt, and a later call retries a failed one. */
export function createLazy<Value>(load: () => Promise<Value>) {
  let loading: Promise<Value> | undefined;
  return {
    get(): Promise<Value> {
      loading ??= load().catch((error: unknown) => {
        loading = undefined;
        throw error;
      });
      return loading;
    },
    /** The attempt that is under way or has succeeded. */
    current: () => loading,
  };
}

/** A store that opens on first use. A failed attempt is retried on the next use. */
export type LazyStore = {
  db: () => Promise<Store["db"]>;
  close: () => Promise<void>;
};

export function createLazyStore(open: () => Promise<Store>): LazyStore {
  const store = createLazy(open);
  return {
    db: async () => (await store.get()).db,
    close: async () => (await store.current()?.catch(() => undefined))?.close(),
  };
}
