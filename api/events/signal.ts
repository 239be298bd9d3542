/** Something that many wait for and that happens again and again. */
export class Signal {
  private waiting = new Set<() => void>();

  /** Wakes all who wait. */
  happen(): void {
    const woken = this.waiting;
    this.waiting = new Set();
    for (const wake of woken) wake();
  }

  /** Waits for the next time, for the signal, or until so much time has passed. */
  next(signal: AbortSignal, timeoutMs?: number): Promise<void> {
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
