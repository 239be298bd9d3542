import cluster, { type Worker } from "node:cluster";
import { join } from "node:path";
import { AggregatorRegistry } from "prom-client";
import { z } from "zod";
import { projectRoot } from "../../config/project-root";
import { type Child, supervise } from "./child";

const PROGRAM = join("dist", "current", "gateway.js");

/** The time for requests in flight to finish before SIGKILL. */
const GRACE_MS = 8_000;

/** Combines the metrics of all gateway processes. */
const metrics = new AggregatorRegistry();

const MetricsRequest = z.object({ metricsRequest: z.number() });

/** Responds to a gateway that is scraped with the metrics of all gateway processes. */
async function sendMetrics(worker: Worker, message: unknown): Promise<void> {
  const { data } = MetricsRequest.safeParse(message);
  if (!data) return;
  const response = await metrics.clusterMetrics().then(
    (text) => ({ text }),
    (error: unknown) => ({ error: String(error) }),
  );
  if (worker.isConnected()) worker.send({ metricsResponse: data.metricsRequest, ...response });
}

export type Gateway = Child & {
  /** Resolves once it accepts connections. Rejects if it ends first. */
  listening: Promise<void>;
  /** Makes `/ready` respond 503 with this reason, because the indexer can't continue. */
  reportFailure: (reason: string) => void;
};

type Options = {
  env: NodeJS.ProcessEnv;
  onLine?: (line: string) => void;
  /** The checkout to run. Default: this one. */
  root?: string;
};

/**
 * Starts the gateway in a separate process. It is a cluster worker, so that on a reload the new process accepts connections on
 * the same socket before the old one stops.
 */
export function startGateway({ env, onLine, root = projectRoot }: Options): Gateway {
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  cluster.setupPrimary({ exec: join(root, PROGRAM), execArgv: [], cwd: root, silent: true });
  // A worker inherits this process's environment. Unset it, so that the worker has only `env`.
  const inherited = Object.fromEntries(Object.keys(process.env).map((name) => [name, undefined]));
  const worker: Worker = cluster.fork({ ...inherited, ...env });
  const child = supervise(worker.process, { name: "gateway", graceMs: GRACE_MS, onLine });
  const listening = new Promise<void>((done, fail) => {
    worker.once("listening", () => done());
    void child.ended.then((code) => fail(new Error(`The gateway ended with code ${code} before it was listening`)));
  });
  listening.catch(() => {});
  worker.on("message", (message) => void sendMetrics(worker, message));
  const reportFailure = (reason: string) => {
    if (worker.isConnected()) worker.send({ indexerFailure: reason });
  };
  return { ...child, listening, reportFailure };
}
