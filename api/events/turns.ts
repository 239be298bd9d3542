/**
 * Lets many tasks take turns, first come, first served: one per turn of the event loop, so that requests which arrive
 * meanwhile are served in between.
 */
export class Turns {
  private readonly waiting = new Set<() => void>();
  private isRunning = false;

  /** Waits for a turn, or until the signal aborts. If no other task waits, the turn is now. */
  take(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const grant = () => {
        signal.removeEventListener("abort", grant);
        this.waiting.delete(grant);
        resolve();
      };
      signal.addEventListener("abort", grant, { once: true });
      this.waiting.add(grant);
      if (this.isRunning) return;
      this.isRunning = true;
      this.next();
    });
  }

  private readonly next = (): void => {
    const [grant] = this.waiting;
    this.isRunning = grant !== undefined;
    if (!grant) return;
    grant();
    setImmediate(this.next);
  };
}
