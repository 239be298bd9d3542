import { once } from "node:events";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { projectRoot } from "../../config/project-root";
import { steadyTime } from "../../config/steady-time";
import { Unavailable } from "../core/errors";
import { createSemaphore } from "../core/semaphore";
import { withDeadline } from "../core/with-deadline";

/** How long the validation of a schema may take, and how long it may wait for others. */
const CHECK_MS = 10_000;
const WAIT_MS = 10_000;

type Options = {
  /** The code of the worker thread. It sends a message when it is loaded. Then it receives texts and sends problems. */
  script?: URL;
  checkMs?: number;
  waitMs?: number;
};

/** Returns the problem of a client's JSON Schema, or null. */
type CheckSchema = (text: string, client: string) => Promise<string | null>;

/**
 * Creates a function that validates JSON Schemas in a worker thread, one at a time, so that requests are served meanwhile.
 * A client's schemas also wait for each other, so each client has one in the queue for the thread.
 */
export function createJsonSchemaChecker({
  script = pathToFileURL(join(projectRoot, "api", "json-schema", "worker.js")),
  checkMs = CHECK_MS,
  waitMs = WAIT_MS,
}: Options = {}): CheckSchema {
  const ofClient = createSemaphore(Number.POSITIVE_INFINITY, 1);
  const ofAll = createSemaphore(1);
  let worker: Promise<Worker> | undefined;

  const start = async (): Promise<Worker> => {
    const started = new Worker(script, { execArgv: [] });
    started.unref();
    await once(started, "message");
    return started;
  };

  const check = async (text: string): Promise<{ problem: string | null }> => {
    worker ??= start();
    const used = worker;
    try {
      const thread = await used;
      const answer = once(thread, "message") as Promise<[string | null]>;
      thread.postMessage(text);
      const [problem] = await withDeadline(answer, { ms: checkMs });
      return { problem };
    } catch (error) {
      worker = undefined;
      void used.then(
        (thread) => thread.terminate(),
        () => {}, // It has not started, which is the error below.
      );
      if (error instanceof DOMException && error.name === "TimeoutError")
        throw new Unavailable("The schema was not validated in time; try again shortly", { cause: error });
      throw error;
    }
  };

  return async (text, client) => {
    const deadline = steadyTime() + waitMs;
    const checked = await ofClient.run(client, waitMs, () =>
      ofAll.run("all", deadline - steadyTime(), () => check(text)),
    );
    if (!checked) throw new Unavailable("Too many schemas are being validated; try again shortly");
    return checked.problem;
  };
}
