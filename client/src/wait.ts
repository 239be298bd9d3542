/** The longest delay of a timer. A longer one would end at once. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/** Waits. Rejects with the signal's reason when it aborts. */
export const wait = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      },
      Math.min(milliseconds, MAX_DELAY_MS),
    );
    signal?.addEventListener("abort", onAbort, { once: true });
  });

/** The seconds of a `Retry-After` header. Undefined if it is missing or not a number. */
export function secondsOf(header: string | null): number | undefined {
  const seconds = Number(header ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined;
}
