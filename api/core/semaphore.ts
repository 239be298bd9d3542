/** Limits concurrency. Waiters are served first in, first out. */
export type Semaphore = {
  /** Runs a task with a permit. Returns null, without running it, if no permit is free within the timeout. */
  run: <Value>(timeoutMs: number, task: () => Promise<Value>) => Promise<Value | null>;
};

/** Creates a semaphore. Under overload, tasks that would start too late are rejected instead of delaying all others. */
export function createSemaphore(permits: number): Semaphore {
  const waiting = new Set<() => void>();
  let available = permits;

  const acquire = (timeoutMs: number) =>
    new Promise<boolean>((resolve) => {
      if (available > 0) {
        available--;
        resolve(true);
        return;
      }
      const timer = setTimeout(() => {
        waiting.delete(grant);
        resolve(false);
      }, timeoutMs);
      const grant = () => {
        clearTimeout(timer);
        resolve(true);
      };
      waiting.add(grant);
    });

  const release = () => {
    const [next] = waiting;
    if (next) {
      waiting.delete(next);
      next();
    } else available++;
  };

  return {
    async run(timeoutMs, task) {
      if (!(await acquire(timeoutMs))) return null;
      try {
        return await task();
      } finally {
        release();
      }
    },
  };
}
