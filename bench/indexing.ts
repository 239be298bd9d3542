import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { startChain } from "../stack/chain";
import { waitFor } from "../stack/child";
import { deploy } from "../stack/deploy";
import { startIndexer } from "../stack/indexer";
import { freePorts } from "../stack/ports";
import { startPostgres } from "../stack/postgres/test-server";
import { writeDeployment } from "./large-index";
import { makeEvents } from "./many-events";
import { median } from "./report";

/**
 * Measures backfill speed relative to Ponder's ceiling. The baseline (bench/ceiling) indexes the same chain, database and
 * sync cache, and only inserts one row per event. For comparison, it also runs with rows of four columns, without the
 * arguments. `npm run bench [-- EVENTS]`
 */
const EVENTS = Number(process.argv[2] ?? 50_000);
const ROUNDS = 3;
const REQUIRED_RATIO = 0.5;

type Measured = { eventsPerSecond: number; contractReads: number };

type App = { root: string; env?: NodeJS.ProcessEnv };

const ceiling: App = { root: resolve(import.meta.dirname, "ceiling") };
const apps: Record<"ceiling" | "bareRows" | "intentry", App> = {
  ceiling,
  bareRows: { ...ceiling, env: { BARE_ROWS: "true" } },
  intentry: { root: resolve(import.meta.dirname, "..") },
};

/** The backfill duration from Ponder's log, in milliseconds. */
const backfillDuration = (line: string): number | undefined => {
  if (!line.includes('"Completed backfill indexing across all chains"')) return undefined;
  const { duration } = JSON.parse(line) as { duration: number };
  return duration;
};

let schemas = 0;

async function indexOnce({ root, env: ownEnv }: App, events: number, env: NodeJS.ProcessEnv): Promise<Measured> {
  const [ponderPort = 0] = await freePorts(1);
  let duration: number | undefined;
  const child = await startIndexer({
    root,
    ponderPort,
    schema: `bench_${schemas++}`,
    env: { ...env, ...ownEnv },
    onLine: (line) => {
      duration ??= backfillDuration(line);
    },
  });
  const milliseconds = await waitFor(child, "complete history", async () => duration, 1_200_000);
  const metrics = await (await fetch(`http://127.0.0.1:${ponderPort}/metrics`)).text();
  await child.stop();
  const reads = [...metrics.matchAll(/^ponder_indexing_rpc_requests_total\{[^}]*\} (\d+)/gm)];
  return {
    eventsPerSecond: events / (milliseconds / 1000),
    contractReads: reads.reduce((total, [, count]) => total + Number(count), 0),
  };
}

const [basePort = 0, port = 0] = await freePorts(2);
const stateFolder = await mkdtemp(join(tmpdir(), "intentry-bench-"));
// A fork, because anvil then skips the state root of each block, which takes seconds on a large state.
const base = await startChain({ port: basePort });
const chain = await startChain({ port, bulk: true, forkUrl: base.rpcUrl });
const postgres = await startPostgres();
try {
  const contracts = await deploy(chain.client);
  await writeDeployment(stateFolder, chain.rpcUrl, contracts);
  const events = await makeEvents(chain, contracts, EVENTS, (made) => {
    if (made % 5_000 < 500) console.log(`${made} events on the chain`);
  });
  const env = { ...process.env, INTENTRY_DIR: stateFolder, DATABASE_URL: await postgres.createDatabase("bench") };
  console.log("Warming the sync cache");
  await indexOnce(apps.ceiling, events, env);

  const rates: Record<keyof typeof apps, number[]> = { ceiling: [], bareRows: [], intentry: [] };
  let contractReads = 0;
  for (let round = 1; round <= ROUNDS; round++)
    for (const name of ["ceiling", "bareRows", "intentry"] as const) {
      const measured = await indexOnce(apps[name], events, env);
      rates[name].push(measured.eventsPerSecond);
      contractReads += measured.contractReads;
      console.log(`round ${round}: ${name.padEnd(8)} ${Math.round(measured.eventsPerSecond)} events/s`);
    }
  const own = median(rates.intentry);
  const ratio = own / median(rates.ceiling);
  console.log(
    `${events} events, every kind, PostgreSQL, warm sync cache: ${Math.round(own)} events/s, ${ratio.toFixed(2)} of the ceiling of ${Math.round(median(rates.ceiling))}, ${(own / median(rates.bareRows)).toFixed(2)} of the ${Math.round(median(rates.bareRows))} with bare rows; contract reads: ${contractReads}`,
  );
  if (ratio < REQUIRED_RATIO || contractReads > 0) process.exitCode = 1;
} finally {
  await chain.child.stop();
  await base.child.stop();
  await postgres.stop();
  await rm(stateFolder, { recursive: true, force: true });
}
