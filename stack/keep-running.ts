import { type Child, ChildEnded } from "./child";

type Options<Kind extends Child> = {
  start: () => Kind | Promise<Kind>;
  /** Called before each restart, with why it is needed. */
  onRestart: (error: ChildEnded, delayMs: number) => void;
  /** Called once when it is not started again. */
  onGivenUp: (error: Error) => void;
  /** Whether a restart can't help after this exit code. */
  isFinal?: (code: number | null) => boolean;
};

/** Delays before each restart in a row. After the last one, it is given up. */
export const RESTART_DELAYS_MS = [500, 1_000, 2_000, 5_000, 10_000, 30_000];

/** A child that ran for this long starts anew with the first delay when it ends. */
const HEALTHY_MS = 60_000;

export type KeptRunning<Kind extends Child> = {
  /** The process that runs now. */
  current: () => Kind;
  /** Starts another process, and stops the old one once `isTakenOver` resolves. Keeps the old one if it rejects. */
  replace: (isTakenOver: (next: Kind) => Promise<void>) => Promise<void>;
  stop: () => Promise<void>;
};

/** Starts a child, and starts it again with a growing delay when it ends unexpectedly, a limited number of times in a row. */
export async function keepRunning<Kind extends Child>({
  start,
  onRestart,
  onGivenUp,
  isFinal = () => false,
}: Options<Kind>): Promise<KeptRunning<Kind>> {
  let current: Kind;
  let stopped = false;
  let failures = 0;
  let waiting: NodeJS.Timeout | undefined;

  const run = async () => {
    current = await start();
    watch(current);
  };
  const watch = (child: Kind) => {
    const startedAt = Date.now();
    void child.ended.then((code) => {
      if (stopped || child !== current) return;
      if (Date.now() - startedAt > HEALTHY_MS) failures = 0;
      const error = new ChildEnded(child, code);
      const delayMs = RESTART_DELAYS_MS[failures++];
      if (delayMs === undefined || isFinal(code)) return onGivenUp(error);
      onRestart(error, delayMs);
      waiting = setTimeout(() => run().catch(onGivenUp), delayMs);
    });
  };
  await run();
  return {
    current: () => current,
    async replace(isTakenOver) {
      const next = await start();
      try {
        await isTakenOver(next);
      } catch (error) {
        await next.stop();
        throw error;
      }
      const old = current;
      current = next;
      watch(next);
      await old.stop();
    },
    async stop() {
      stopped = true;
      clearTimeout(waiting);
      await current.stop();
    },
  };
}
