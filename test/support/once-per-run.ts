type Started<Value> = { value: Value; stop: () => Promise<void> };
type Entry = { started: Promise<Started<unknown>>; users: number };

/** Each vitest project evaluates this module again, so the state is global instead of a module variable. */
const KEY = Symbol.for("intentry.once-per-run");
const holder = globalThis as { [KEY]?: Map<string, Entry> };

/**
 * Starts a resource once for all vitest projects of a run. `release` stops it when the last project has released it.
 * `started` rejects if the start fails.
 */
export function oncePerRun<Value>(
  name: string,
  start: () => Promise<Started<Value>>,
): { started: Promise<Value>; release: () => Promise<void> } {
  holder[KEY] ??= new Map();
  const entries = holder[KEY];
  const entry = entries.get(name) ?? { started: start(), users: 0 };
  entries.set(name, entry);
  entry.started.catch(() => {});
  entry.users += 1;
  return {
    started: (entry.started as Promise<Started<Value>>).then(({ value }) => value),
    async release() {
      entry.users -= 1;
      if (entry.users > 0) return;
      entries.delete(name);
      const running = await entry.started.catch(() => undefined);
      await running?.stop();
    },
  };
}
