import { setTimeout } from "node:timers/promises";

/**
 * How old a shared read may be. A write is acknowledged, and an event sent, this long after its commit at the earliest.
 * By then no process serves the state before it.
 */
export const MAX_AGE_MS = 5;

/** When the next read begins while the last one is still used. A read usually takes less than the rest of the time. */
const REFRESH_AGE_MS = 3;

/** Waits until no process serves the state before a commit that has just been made or read. */
export const visibleToAll = async (): Promise<void> => {
  // A timer may fire up to a millisecond early.
  await setTimeout(MAX_AGE_MS + 1);
};

export type SharedRead<Value> = {
  /** The value, if the last read began at most {@link MAX_AGE_MS} before `now` by `performance.now()`. */
  peek: (now?: number) => Value | undefined;
  /** The value, by a read that began at most {@link MAX_AGE_MS} ago. Callers of one read get the same promise. */
  read: () => Promise<Value>;
};

type Reading<Value> = { value: Promise<Value>; startedAt: number };

/** After this time a read counts as lost, and the next one does not wait for it. */
const LOST_MS = 2_000;

const ageOf = ({ startedAt }: { startedAt: number }, now = performance.now()) => now - startedAt;

/**
 * Shares the reads of a value that changes. Under load one read serves all callers of some milliseconds. One read is under
 * way at a time: when the database is slow, the callers that can't use its result share the next one.
 */
export function shareReads<Value>(readValue: () => Promise<Value>): SharedRead<Value> {
  let last: (Reading<Value> & { result: Value }) | undefined;
  let pending: Reading<Value> | undefined;
  let next: Promise<Value> | undefined;
  const start = (): Promise<Value> => {
    const reading: Reading<Value> = { value: readValue(), startedAt: performance.now() };
    pending = reading;
    const finish = () => {
      if (pending === reading) pending = undefined;
    };
    reading.value.then((result) => {
      if (!last || last.startedAt < reading.startedAt) last = { ...reading, result };
      finish();
    }, finish);
    return reading.value;
  };
  const startAfter = async (earlier: Promise<Value>): Promise<Value> => {
    await earlier.catch(() => {});
    next = undefined;
    return start();
  };
  /** The last read, if it is recent enough. */
  const recent = (now?: number) => {
    if (!last) return undefined;
    const age = ageOf(last, now);
    if (age > MAX_AGE_MS) return undefined;
    // Under load the next read is done before a caller has to wait. A caller that does wait gets the error.
    if (!pending && age > REFRESH_AGE_MS) start().catch(() => {});
    return last;
  };
  return {
    peek: (now) => recent(now)?.result,
    read() {
      const done = recent();
      if (done) return done.value;
      if (!pending || ageOf(pending) > LOST_MS) return start();
      if (ageOf(pending) <= MAX_AGE_MS) return pending.value;
      next ??= startAfter(pending.value);
      return next;
    },
  };
}
