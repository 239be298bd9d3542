import { resolve } from "node:path";
import { freePorts } from "../stack/roles/ports";
import { waitFor } from "../stack/supervision/child";
import { isListening, startIndexer } from "../stack/supervision/indexer";
import { sumOf } from "../stack/supervision/progress";
import { watchStall } from "./stall";

/** A Ponder app to measure. */
type App = { root: string; env?: NodeJS.ProcessEnv };

const ceiling: App = { root: resolve(import.meta.dirname, "ceiling") };

/** Intentry, and an app that only inserts one row per event: the whole event, or four columns of it. */
export const apps: Record<"ceiling" | "bareRows" | "intentry", App> = {
  ceiling,
  bareRows: { ...ceiling, env: { BARE_ROWS: "true" } },
  intentry: { root: resolve(import.meta.dirname, "..") },
};

export type Backfill = {
  /** From Ponder's log, without the start of the process. */
  milliseconds: number;
  /** CPU time of the indexer's process since its HTTP server listened. */
  cpuSeconds: number;
  /** Requests to the node by handlers. */
  contractReads: number;
};

const metricsOf = async (ponderPort: number) =>
  (await fetch(`http://127.0.0.1:${ponderPort}/metrics`, { signal: AbortSignal.timeout(30_000) })).text();

/** Where a backfill stands, for a benchmark that can't finish. */
const positionOf = async (ponderPort: number): Promise<string> => {
  const metrics = await metricsOf(ponderPort);
  const [events, cached, fetched] = [
    "ponder_indexing_completed_events",
    "ponder_historical_cached_blocks",
    "ponder_historical_completed_blocks",
  ].map((name) => sumOf(metrics, name));
  return `${events} events indexed, ${fetched} blocks fetched, ${cached} blocks cached`;
};

const cpuSecondsIn = (metrics: string) => sumOf(metrics, "process_cpu_seconds_total");

/** The backfill duration from Ponder's log, in milliseconds. */
const backfillDuration = (line: string): number | undefined => {
  if (!line.includes('"Completed backfill indexing across all chains"')) return undefined;
  const { duration } = JSON.parse(line) as { duration: number };
  return duration;
};

let schemas = 0;

type Options = {
  env: NodeJS.ProcessEnv;
  /** Runs during the backfill, with the port of Ponder and the schema of the index. Stopped by the function it returns. */
  meanwhile?: (ponderPort: number, schema: string) => Promise<() => Promise<void>>;
};

/** Indexes the chain into a new schema. */
export async function indexOnce(app: keyof typeof apps, { env, meanwhile }: Options): Promise<Backfill> {
  const { root, env: ownEnv } = apps[app];
  const [ponderPort = 0] = await freePorts(1);
  const schema = `bench_${schemas++}`;
  let duration: number | undefined;
  let atStart = Promise.resolve("");
  const child = startIndexer({
    root,
    ponderPort,
    schema,
    env: { ...env, ...ownEnv },
    onLine: (line) => {
      duration ??= backfillDuration(line);
      if (isListening(line)) atStart = metricsOf(ponderPort);
    },
  });
  const { stalled, stop: stopWatching } = watchStall({
    what: `the history of ${app}`,
    read: () => positionOf(ponderPort),
  });
  // Also if it stalls before it is waited for.
  stalled.catch(() => {});
  try {
    const stopOther = await meanwhile?.(ponderPort, schema);
    const milliseconds = await Promise.race([
      waitFor(child, "complete history", async () => duration, 1_200_000),
      stalled,
    ]);
    const metrics = await metricsOf(ponderPort);
    await stopOther?.();
    return {
      milliseconds,
      cpuSeconds: cpuSecondsIn(metrics) - cpuSecondsIn(await atStart),
      contractReads: sumOf(metrics, "ponder_indexing_rpc_requests_total"),
    };
  } finally {
    stopWatching();
    await child.stop();
  }
}
