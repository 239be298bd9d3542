import { steadyTime } from "../../config/steady-time";
import { type Child, ChildEnded } from "./child";

type Options<Kind extends Child> = {
  start: () => Promise<Kind>;
  /** Called before each restart, with its cause. */
  onRestart: (error: Error, delayMs: number) => void;
  /** Called when the child has ended and will not be restarted. The exit code is undefined if it could not be started. */
  onGivenUp: (error: Error, code?: number | null) => void;
  /** Whether a restart is pointless after this exit code. */
  isFinal: (code: number | null) => boolean;
};

/** The delays before consecutive restarts. After the last one, there are no more restarts. */
const RESTART_DELAYS_MS = [500, 1_000, 2_000, 5_000, 10_000, 30_000];

/** A child that ran for longer than this resets the restart delay. */
const HEALTHY_MS = 60_000;

export type KeptRunning<Kind extends Child> = {
  /** The running process, or the last one. */
  current: () => Kind;
  restart: () => Promise<void>;
  /** Starts a new process, and stops the old one once `isReady` resolves. Keeps the old one if it rejects. */
  replace: (isReady: (next: Kind) => Promise<void>) => Promise<void>;
  stop: Kind["stop"];
};

/** Starts a child, and restarts it with increasing delays if it ends unexpectedly, up to a maximum number of times in a row. */
export async function keepRunning<Kind extends Child>({
  start,
  onRestart,
  onGivenUp,
  isFinal,
}: Options<Kind>): Promise<KeptRunning<Kind>> {
  let current: Kind;
  /** The child being stopped. Its exit is not a failure. */
  let stopping: Kind | undefined;
  let isStopped = false;
  let failures = 0;
  let timer: NodeJS.Timeout | undefined;

  const run = async () => {
    current = await start();
    watch(current);
  };
  /** Restarts after the next delay. A failed start counts as a failure too. */
  const retry = (error: Error) => {
    const delayMs = RESTART_DELAYS_MS[failures++];
    if (delayMs === undefined) return onGivenUp(error);
    onRestart(error, delayMs);
    timer = setTimeout(() => run().catch((cause) => isStopped || retry(cause)), delayMs);
  };
  const watch = (child: Kind) => {
    const startedAt = steadyTime();
    void child.ended.then((code) => {
      if (isStopped || child !== current || child === stopping) return;
      if (steadyTime() - startedAt > HEALTHY_MS) failures = 0;
      const error = new ChildEnded(child, code);
      if (isFinal(code)) onGivenUp(error, code);
      else retry(error);
    });
  };
  await run();
  return {
    current: () => current,
    async restart() {
      clearTimeout(timer);
      stopping = current;
      await current.stop();
      failures = 0;
      await run();
    },
    async replace(isReady) {
      const next = await start();
      try {
        await isReady(next);
      } catch (error) {
        await next.stop();
        throw error;
      }
      clearTimeout(timer);
      const old = current;
      current = next;
      failures = 0;
      watch(next);
      await old.stop();
    },
    async stop(signal) {
      isStopped = true;
      clearTimeout(timer);
      await current.stop(signal);
    },
  };
}
