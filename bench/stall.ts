import { withDeadline } from "../api/core/with-deadline";

/** A benchmark can't finish: what it waits for makes no progress. */
export class Stalled extends Error {
  override name = "Stalled";

  constructor(what: string, quietMs: number, last: string | undefined) {
    super(
      `Waited for ${what}, but there was no progress for ${quietMs / 1000} s. Last state: ${last ?? "no response"}. Is the machine busy?`,
    );
  }
}

type Watch = {
  /** The task, for the error message. */
  what: string;
  /** Reads the state. A change is progress; an error or a missing answer is not. */
  read: () => Promise<string>;
  quietMs?: number;
  intervalMs?: number;
};

/** Rejects with {@link Stalled} after a time without progress. Ends with `stop`. */
export function watchStall({ what, read, quietMs = 120_000, intervalMs = 1_000 }: Watch) {
  let last: string | undefined;
  let changedAt = performance.now();
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const stalled = new Promise<never>((_, reject) => {
    const check = async () => {
      // A suspended process accepts connections and never answers.
      const ms = Math.max(changedAt + quietMs - performance.now(), 0);
      const present = await withDeadline(read(), { ms }).catch(() => undefined);
      if (isStopped) return;
      if (present !== undefined && present !== last) {
        last = present;
        changedAt = performance.now();
      }
      if (performance.now() - changedAt >= quietMs) reject(new Stalled(what, quietMs, last));
      else timer = setTimeout(() => void check(), intervalMs);
    };
    void check();
  });
  return {
    stalled,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
