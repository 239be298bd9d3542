/**
 * How old a shared read may be. A write is acknowledged, and an event sent, this long after its commit at the earliest.
 * By then no process serves the state before it.
 */
export const MAX_AGE_MS = 5;

export type SharedRead<Value> = {
  /** The value, if the last read began at most {@link MAX_AGE_MS} ago. */
  peek: () => Value | undefined;
  /** The value, by a read that began at most {@link MAX_AGE_MS} ago. Callers share it. */
  read: () => Promise<Value>;
};

/** Shares the reads of a value that changes: under load, one read serves all callers of some milliseconds. */
export function shareReads<Value>(readValue: () => Promise<Value>): SharedRead<Value> {
  let last: { value: Value; startedAt: number } | undefined;
  let pending: { value: Promise<Value>; startedAt: number } | undefined;
  const isRecent = (read: { startedAt: number } | undefined) =>
    read !== undefined && performance.now() - read.startedAt <= MAX_AGE_MS;
  const peek = () => {
    if (!last || !isRecent(last)) return undefined;
    // Under load the next read is done before anyone has to wait for it. A caller that has to wait gets the error.
    if (!pending && performance.now() - last.startedAt > MAX_AGE_MS / 2) start().catch(() => {});
    return last.value;
  };
  function start(): Promise<Value> {
    const startedAt = performance.now();
    const reading = { value: readValue(), startedAt };
    pending = reading;
    const finish = (value?: { value: Value }) => {
      if (value && (last === undefined || last.startedAt < startedAt)) last = { ...value, startedAt };
      if (pending === reading) pending = undefined;
    };
    reading.value.then(
      (value) => finish({ value }),
      () => finish(),
    );
    return reading.value;
  }
  return {
    peek,
    async read() {
      return peek() ?? (isRecent(pending) ? pending?.value : undefined) ?? start();
    },
  };
}
