type Limits = {
  signal?: AbortSignal;
  ms?: number;
  /** The error after `ms`, instead of a TimeoutError. */
  late?: () => Error;
};

/**
 * Waits for a promise until the signal aborts, and then throws its reason, or until `ms` have passed, and then throws a
 * TimeoutError. The work behind the promise goes on.
 */
export const withDeadline = <Value>(waiting: Promise<Value>, { signal, ms, late }: Limits): Promise<Value> =>
  // Every request has a deadline, so this is one promise instead of a race of several.
  new Promise((resolve, reject) => {
    const release = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    };
    const onValue = (value: Value) => {
      release();
      resolve(value);
    };
    const onError = (error: unknown) => {
      release();
      reject(error);
    };
    const onAbort = () => onError(signal?.reason);
    const onTimeout = () => onError(late?.() ?? new DOMException(`No answer within ${ms} ms`, "TimeoutError"));
    // Not AbortSignal.any and AbortSignal.timeout: Node 20 may collect such a signal before it fires.
    const timer = ms === undefined ? undefined : setTimeout(onTimeout, ms);
    waiting.then(onValue, onError);
    if (signal?.aborted) onAbort();
    else signal?.addEventListener("abort", onAbort);
  });
