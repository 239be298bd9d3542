import { type Child, ChildEnded } from "./child";

type Options<Kind extends Child> = {
  start: () => Promise<Kind>;
  /** Called before each restart, with why it is needed. */
  onRestart: (error: Error, delayMs: number) => void;
  /** Called when it has ended and is not started again. */
  onGivenUp: (error: Error) => void;
  /** Whether a restart can't help after this exit code. */
  isFinal: (code: number | null) => boolean;
};

/** Delays before each restart in a row. After the last one, it is given up. */
const RESTART_DELAYS_MS = [500, 1_000, 2_000, 5_000, 10_000, 30_000];

/** A child that ran for this long starts anew with the first delay when it ends. */
const HEALTHY_MS = 60_000;

export type KeptRunning<Kind extends Child> = {
  /** The process that runs now, or ran last. */
  current: () => Kind;
  /** Stops it and starts it anew. */
  restart: () => Promise<void>;
  /** Starts another process, and stops the old one once `isTakenOver` resolves. Keeps the old one if it rejects. */
  replace: (isTakenOver: (next: Kind) => Promise<void>) => Promise<void>;
  stop: Kind["stop"];
};

/** Starts a child, and starts it again with a growing delay when it ends unexpectedly, a limited number of times in a row. */
export async function keepRunning<Kind extends Child>({
  start,
  onRestart,
  onGivenUp,
  isFinal,
}: Options<Kind>): Promise<KeptRunning<Kind>> {
  let current: Kind;
  /** The child whose end is not a failure, because it was asked to stop. */
  let stopping: Kind | undefined;
  let isStopped = false;
  let failures = 0;
  let waiting: NodeJS.Timeout | undefined;

  const run = async () => {
    current = await start();
    watch(current);
  };
  /** Starts it again after the next delay. A start that fails counts as a failure too. */
  const retry = (error: Error) => {
    const delayMs = RESTART_DELAYS_MS[failures++];
    if (delayMs === undefined) return onGivenUp(error);
    onRestart(error, delayMs);
    waiting = setTimeout(() => run().catch((cause) => isStopped || retry(cause)), delayMs);
  };
  const watch = (child: Kind) => {
    const startedAt = Date.now();
    void child.ended.then((code) => {
      if (isStopped || child !== current || child === stopping) return;
      if (Date.now() - startedAt > HEALTHY_MS) failures = 0;
      const error = new ChildEnded(child, code);
      if (isFinal(code)) onGivenUp(error);
      else retry(error);
    });
  };
  await run();
  return {
    current: () => current,
    async restart() {
      clearTimeout(waiting);
      stopping = current;
      await current.stop();
      failures = 0;
      await run();
    },
    async replace(isTakenOver) {
      const next = await start();
      try {
        await isTakenOver(next);
      } catch (error) {
        await next.stop();
        throw error;
      }
      clearTimeout(waiting);
      const old = current;
      current = next;
      failures = 0;
      watch(next);
      await old.stop();
    },
    async stop(signal) {
      isStopped = true;
      clearTimeout(waiting);
      await current.stop(signal);
    },
  };
}
