import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { Unavailable } from "../core/errors";
import { createSemaphore } from "../core/semaphore";
import { withDeadline } from "../core/with-deadline";

/** How long the validation of a schema may take, and how long it may wait for others. */
const CHECK_MS = 5_000;
const WAIT_MS = 10_000;

type Options = {
  /** The code of the worker thread: it receives a schema's text and sends its problem, or null. */
  script?: URL;
  checkMs?: number;
  waitMs?: number;
};

/**
 * Creates a function that returns the problem of a JSON Schema, or null. It validates in a worker thread, one schema at a
 * time, so that requests are served meanwhile.
 */
export function createSchemaChecker({
  script = new URL("worker.js", import.meta.url),
  checkMs = CHECK_MS,
  waitMs = WAIT_MS,
}: Options = {}): (text: string) => Promise<string | null> {
  const semaphore = createSemaphore(1);
  let worker: Worker | undefined;

  const start = (): Worker => {
    const started = new Worker(script, { execArgv: [] });
    started.unref();
    return started;
  };

  const check = async (text: string): Promise<{ problem: string | null }> => {
    worker ??= start();
    try {
      const answer = once(worker, "message") as Promise<[string | null]>;
      worker.postMessage(text);
      const [problem] = await withDeadline(answer, { ms: checkMs });
      return { problem };
    } catch (error) {
      void worker.terminate();
      worker = undefined;
      if (error instanceof DOMException && error.name === "TimeoutError")
        return { problem: "takes too long to validate; make it smaller" };
      throw error;
    }
  };

  return async (text) => {
    const checked = await semaphore.run(waitMs, () => check(text));
    if (!checked) throw new Unavailable("Too many schemas are being validated; try again shortly");
    return checked.problem;
  };
}
