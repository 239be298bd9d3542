/** Limits concurrency, in total and per client. Waiters are served first in, first out, as far as their client's limit allows. */
export type Semaphore = {
  /** Runs a client's task with a permit. Returns null, without running it, if no permit is free within the timeout. */
  run: <Value>(client: string, timeoutMs: number, task: () => Promise<Value>) => Promise<Value | null>;
};

/**
 * Creates a semaphore. Under overload, tasks that would start too late are rejected instead of delaying all others. With
 * fewer permits per client than in total, one client can't delay the others.
 */
export function createSemaphore(permits: number, permitsPerClient = permits): Semaphore {
  const waiting = new Set<{ client: string; grant: () => void }>();
  const held = new Map<string, number>();
  let available = permits;

  const heldBy = (client: string) => held.get(client) ?? 0;
  const isFree = (client: string) => available > 0 && heldBy(client) < permitsPerClient;

  const take = (client: string) => {
    available--;
    held.set(client, heldBy(client) + 1);
  };

  const acquire = (client: string, timeoutMs: number) =>
    new Promise<boolean>((resolve) => {
      if (isFree(client)) {
        take(client);
        resolve(true);
        return;
      }
      const timer = setTimeout(() => {
        waiting.delete(waiter);
        resolve(false);
      }, timeoutMs);
      const waiter = {
        client,
        grant() {
          clearTimeout(timer);
          resolve(true);
        },
      };
      waiting.add(waiter);
    });

  const release = (client: string) => {
    available++;
    if (heldBy(client) > 1) held.set(client, heldBy(client) - 1);
    else held.delete(client);
    for (const next of waiting) {
      if (!isFree(next.client)) continue;
      waiting.delete(next);
      take(next.client);
      next.grant();
      return;
    }
  };

  return {
    async run(client, timeoutMs, task) {
      if (!(await acquire(client, timeoutMs))) return null;
      try {
        return await task();
      } finally {
        release(client);
      }
    },
  };
}
