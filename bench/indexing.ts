import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { deploy } from "../stack/local/deploy";
import { freePorts } from "../stack/roles/ports";
import { waitFor } from "../stack/supervision/child";
import { startGateway } from "../stack/supervision/gateway";
import { startPostgres } from "../test/support/postgres-server";
import { type apps, indexOnce } from "./index-once";
import { writeDeployment } from "./large-index";
import { makeEvents, startBulkChain } from "./many-events";
import { requestBytes, startLoadGenerator } from "./reads/load";
import { measureRemoteBackfill } from "./remote-backfill";
import { formatRate, median, tableHeader, tableRow } from "./report";
import { urlOf } from "./sample-stack";

/**
 * Measures backfill speed relative to Ponder's ceiling. The baseline (bench/ceiling) indexes the same chain, database and
 * sync cache, and only inserts one row per event: the whole event, or four columns of it. Intentry also indexes under full
 * read load, on the gateway's port and through Ponder's port. With `--latency`, it measures a backfill through a node at this
 * distance in milliseconds instead. `npm run bench indexing -- [--events 50000] [--rounds 5] [--latency 50]`
 */
const { values: options } = parseArgs({
  options: {
    events: { type: "string", default: "50000" },
    rounds: { type: "string", default: "5" },
    latency: { type: "string" },
  },
});
const CONNECTIONS = 16;
const WINDOW_MS = 250;
const READS = ["/intents", "/receipts", "/analytics/commerce", "/solvers"];

const runs = ["ceiling", "bareRows", "intentry", "readsOnGateway", "readsThroughPonder"] as const;
type Run = (typeof runs)[number];
const titles: Record<Run, string> = {
  ceiling: "Each event inserted",
  bareRows: "Four columns of each event inserted",
  intentry: "Intentry",
  readsOnGateway: "Intentry, with reads on the gateway",
  readsThroughPonder: "Intentry, with reads through Ponder's port",
};
const appOf = (run: Run): keyof typeof apps => (run === "ceiling" || run === "bareRows" ? run : "intentry");

type History = {
  stateFolder: string;
  /** The number of events on the chain. */
  events: number;
  createDatabase: (name: string) => Promise<string>;
  rounds: number;
};

async function measureSpeed({ stateFolder, events, createDatabase, rounds }: History): Promise<void> {
  const [apiPort = 0] = await freePorts(1);
  const load = await startLoadGenerator();
  try {
    const env = {
      ...process.env,
      INTENTRY_DIR: stateFolder,
      DATABASE_URL: await createDatabase("bench"),
      API_PORT: String(apiPort),
    };
    console.error("Warming the sync cache");
    await indexOnce("ceiling", { env });

    /** Keeps the gateway of the index busy with reads on this port, until stopped. */
    const readsOn = async (readPort: number, schema: string) => {
      const gateway = await startGateway({ env: { ...env, NODE_ENV: "production", INDEX_SCHEMA: schema } });
      const isServing = async () => {
        const responses = await Promise.all(READS.map((path) => fetch(`${urlOf(readPort)}${path}`)));
        return responses.every(({ ok }) => ok) || undefined;
      };
      await waitFor(gateway, "answers", isServing);
      const rates: number[] = [];
      let isStopped = false;
      const reading = (async () => {
        for (let next = 0; !isStopped; next++) {
          const { request } = requestBytes({ method: "GET", path: READS[next % READS.length] ?? "/" });
          const job = { port: readPort, connections: CONNECTIONS, request, warmUpMs: 0, windowMs: WINDOW_MS };
          rates.push(await load.measure(job));
        }
      })();
      return async () => {
        isStopped = true;
        await reading;
        await gateway.stop();
        console.error(`  with ${formatRate(median(rates))} reads/s`);
      };
    };
    const meanwhile: Partial<Record<Run, (ponderPort: number, schema: string) => Promise<() => Promise<void>>>> = {
      readsOnGateway: (_, schema) => readsOn(apiPort, schema),
      readsThroughPonder: (ponderPort, schema) => readsOn(ponderPort, schema),
    };

    const perRun = (): Record<Run, number[]> => ({
      ceiling: [],
      bareRows: [],
      intentry: [],
      readsOnGateway: [],
      readsThroughPonder: [],
    });
    const rates = perRun();
    const cpu = perRun();
    let contractReads = 0;
    for (let round = 1; round <= rounds; round++)
      for (const run of runs) {
        const measured = await indexOnce(appOf(run), { env, meanwhile: meanwhile[run] });
        const rate = (events * 1000) / measured.milliseconds;
        rates[run].push(rate);
        cpu[run].push((measured.cpuSeconds * 1_000_000) / events);
        contractReads += measured.contractReads;
        console.error(`round ${round}: ${titles[run]}: ${formatRate(rate)} events/s`);
      }
    console.log(`\n${events} events of every kind, median of ${rounds}; contract reads: ${contractReads}\n`);
    console.log(
      tableHeader(["App", "events/s", "of each event", "of four columns", "of Intentry alone", "CPU µs per event"]),
    );
    for (const run of runs) {
      const rate = median(rates[run]);
      const shareOf = (other: Run) => (rate / median(rates[other])).toFixed(2);
      console.log(
        tableRow([
          titles[run],
          formatRate(rate),
          ...[shareOf("ceiling"), shareOf("bareRows"), shareOf("intentry")],
          formatRate(median(cpu[run])),
        ]),
      );
    }
    if (contractReads > 0) throw new Error(`Handlers made ${contractReads} contract reads`);
  } finally {
    load.stop();
  }
}

const stateFolder = await mkdtemp(join(tmpdir(), "intentry-bench-"));
const { chain, stop: stopChain } = await startBulkChain();
const postgres = await startPostgres();
try {
  const contracts = await deploy(chain.client);
  await writeDeployment(stateFolder, chain.rpcUrl, contracts);
  const events = await makeEvents(chain, contracts, Number(options.events), (made) => {
    if (made % 5_000 < 500) console.error(`${made} events on the chain`);
  });
  const rounds = Number(options.rounds);
  const { createDatabase } = postgres;
  const history = { stateFolder, events, createDatabase, rounds };
  if (options.latency === undefined) await measureSpeed(history);
  else await measureRemoteBackfill({ ...history, rpcUrl: chain.rpcUrl, contracts, latencyMs: Number(options.latency) });
} finally {
  await stopChain();
  await postgres.stop();
  await rm(stateFolder, { recursive: true, force: true });
}
