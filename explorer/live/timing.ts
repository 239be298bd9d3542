/** Events of one block arrive together, and one load covers them. */
const QUIET_MS = 100;

/** The time between two loads, however many events there are. */
const MIN_INTERVAL_MS = 1_000;

export const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** The longest time for which values are collected. */
const MAX_WAIT_MS = 1_000;

/** Collects values, and passes them on together once none has arrived for a while. */
export function collected<Value>(pass: (values: readonly Value[]) => void): (value: Value) => void {
  let values: Value[] = [];
  let latest = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  return (value) => {
    const now = performance.now();
    if (values.length === 0) latest = now + MAX_WAIT_MS;
    values.push(value);
    clearTimeout(timer);
    timer = setTimeout(
      () => {
        pass(values);
        values = [];
      },
      Math.max(0, Math.min(QUIET_MS, latest - now)),
    );
  };
}

/** Runs a task again for each request, one at a time, and after a pause. Requests during a run cause one more. */
export function repeated(task: () => Promise<void>, signal: AbortSignal): () => void {
  let isRunning = false;
  let isRequested = false;
  const run = async () => {
    isRunning = true;
    while (isRequested && !signal.aborted) {
      await pause(QUIET_MS);
      isRequested = false;
      await task();
      await pause(MIN_INTERVAL_MS);
    }
    isRunning = false;
  };
  return () => {
    isRequested = true;
    if (!isRunning) void run();
  };
}
