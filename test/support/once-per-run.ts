type Started<Value> = { value: Value; stop: () => Promise<void> };
type Entry = { started: Promise<Started<unknown>>; users: number };

/** Each vitest project evaluates its global setup files on its own, so that a variable of this module is not shared. */
const KEY = Symbol.for("intentry.once-per-run");
const holder = globalThis as { [KEY]?: Map<string, Entry> };

/**
 * Starts a resource once for all vitest projects of a run. `release` stops it when the last project has released it.
 * A start that fails is reported to those who await `started`.
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
