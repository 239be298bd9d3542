type Limits = { signal?: AbortSignal; ms?: number };

/**
 * Waits for a promise until the signal aborts, and then throws its reason, or until `ms` have passed, and then throws a
 * TimeoutError. The work behind the promise goes on.
 */
export async function withDeadline<Value>(waiting: Promise<Value>, { signal, ms }: Limits): Promise<Value> {
  let release = () => {};
  const over = new Promise<never>((_, reject) => {
    const onAbort = () => reject(signal?.reason);
    const onTimeout = () => reject(new DOMException(`No answer within ${ms} ms`, "TimeoutError"));
    if (signal?.aborted) return onAbort();
    // Not AbortSignal.any and AbortSignal.timeout: Node 20 may collect such a signal before it fires.
    const timer = ms === undefined ? undefined : setTimeout(onTimeout, ms);
    signal?.addEventListener("abort", onAbort);
    release = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    };
  });
  try {
    return await Promise.race([waiting, over]);
  } finally {
    release();
  }
}
