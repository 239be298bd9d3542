/** Lets a few in at a time, in the order they came. */
export type Semaphore = {
  /** Acts once there is a place, and gives it back; null when there is none in time. */
  pass: <Value>(withinMs: number, act: () => Promise<Value>) => Promise<Value | null>;
};

/** Keeps work that is too much at once from all being late: what does not get a place in time is not begun. */
export function createSemaphore(places: number): Semaphore {
  const waiting = new Set<() => void>();
  let free = places;

  const enter = (withinMs: number) =>
    new Promise<boolean>((resolve) => {
      if (free > 0) {
        free--;
        resolve(true);
        return;
      }
      const timer = setTimeout(() => {
        waiting.delete(admitted);
        resolve(false);
      }, withinMs);
      const admitted = () => {
        clearTimeout(timer);
        resolve(true);
      };
      waiting.add(admitted);
    });

  const leave = () => {
    const [next] = waiting;
    if (next) {
      waiting.delete(next);
      next();
    } else free++;
  };

  return {
    async pass(withinMs, act) {
      if (!(await enter(withinMs))) return null;
      try {
        return await act();
      } finally {
        leave();
      }
    },
  };
}
