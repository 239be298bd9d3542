import cluster from "node:cluster";
import { AggregatorRegistry, collectDefaultMetrics, type Gauge, register } from "prom-client";
import { z } from "zod";
import { databaseConnections } from "./metrics";

/** A pool of database connections. */
type Pool = { totalCount: number; idleCount: number; waitingCount: number };

const pools = new Map<Pool, string>();

/** Includes the connections of a pool in the metrics. Returns a function that excludes it again. */
export function watchPool(name: "index" | "store", pool: Pool): () => void {
  pools.set(pool, name);
  return () => pools.delete(pool);
}

function collectConnections(): void {
  databaseConnections.reset();
  for (const [{ totalCount, idleCount, waitingCount }, pool] of pools) {
    databaseConnections.inc({ pool, state: "idle" }, idleCount);
    databaseConnections.inc({ pool, state: "busy" }, totalCount - idleCount);
    databaseConnections.inc({ pool, state: "waiting" }, waitingCount);
  }
}

/** Makes `collect` update the gauges before each scrape, once for all of them. */
export function collectGauges(gauges: readonly Gauge[], collect: () => Promise<void>): void {
  let collecting: Promise<void> | undefined;
  const once = () => {
    collecting ??= collect().finally(() => {
      collecting = undefined;
    });
    return collecting;
  };
  for (const gauge of gauges) Object.assign(gauge, { collect: once });
}

const MetricsResponse = z.object({
  metricsResponse: z.number(),
  text: z.string().optional(),
  /** Why the scrape failed. */
  error: z.string().optional(),
});

/** How long a scrape waits for the supervisor, which waits for all gateway processes. */
const WAIT_MS = 6_000;

let lastRequest = 0;

/** Requests the metrics of all gateway processes from the supervisor. */
const metricsOfAll = (send: NonNullable<typeof process.send>): Promise<string> =>
  new Promise((resolve, reject) => {
    const id = ++lastRequest;
    const end = () => {
      clearTimeout(timer);
      process.off("message", onMessage);
    };
    const onMessage = (message: unknown) => {
      const { data } = MetricsResponse.safeParse(message);
      if (data?.metricsResponse !== id) return;
      end();
      if (data.text === undefined) reject(new Error(`The metrics could not be combined: ${data.error}`));
      else resolve(data.text);
    };
    const timer = setTimeout(() => {
      end();
      reject(new Error("The supervisor did not return the metrics of all gateway processes"));
    }, WAIT_MS);
    process.on("message", onMessage);
    send.call(process, { metricsRequest: id });
  });

/** The newest start of all processes. prom-client omits it when it combines processes, and an alert counts its changes. */
const combineStartTimes = (): void => {
  const startTime = register.getSingleMetric("process_start_time_seconds");
  if (startTime) Object.assign(startTime, { aggregator: "max" });
};

/** Starts to collect the metrics of this process. */
export function startMetrics(): void {
  collectDefaultMetrics();
  combineStartTimes();
  Object.assign(databaseConnections, { collect: collectConnections });
  // Responds to the supervisor, which combines the metrics of its processes.
  if (cluster.isWorker) new AggregatorRegistry();
}

/** The metrics in Prometheus' text format: of all gateway processes of a supervisor, or of this one without a supervisor. */
export const scrape = (): Promise<string> =>
  cluster.isWorker && process.send ? metricsOfAll(process.send) : register.metrics();

export const METRICS_TYPE = register.contentType;
