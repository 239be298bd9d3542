/** Wakes waiting tasks, any number of times. */
export class Signal {
  private waiting = new Set<() => void>();

  /** Wakes all tasks that wait now. */
  notify(): void {
    const woken = this.waiting;
    this.waiting = new Set();
    for (const wake of woken) wake();
  }

  /** Waits for the next notification, the timeout or the abort signal, whichever is first. */
  wait(signal: AbortSignal, timeoutMs?: number): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", wake);
        this.waiting.delete(wake);
        resolve();
      };
      const timer = timeoutMs === undefined ? undefined : setTimeout(wake, timeoutMs);
      signal.addEventListener("abort", wake, { once: true });
      this.waiting.add(wake);
    });
  }
}
