import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { deploy } from "../stack/deploy";
import { startPostgres } from "../stack/postgres/test-server";
import { startRpcProxy } from "../test/support/rpc-proxy";
import { type apps, indexOnce } from "./index-once";
import { writeDeployment } from "./large-index";
import { makeEvents, startBulkChain } from "./many-events";
import { formatRate, median, tableHeader, tableRow } from "./report";

/**
 * Measures a backfill through a remote node: the time, and the number of requests per 1,000 events, of Intentry and of a bare
 * Ponder app that only inserts each event. Each starts with an empty database.
 * `npm run bench:backfill -- [--events 10000] [--latency 50] [--rounds 5]`
 */
const { values: options } = parseArgs({
  options: {
    events: { type: "string", default: "10000" },
    latency: { type: "string", default: "50" },
    rounds: { type: "string", default: "5" },
  },
});

const measured = ["ceiling", "intentry"] as const satisfies (keyof typeof apps)[];

const stateFolder = await mkdtemp(join(tmpdir(), "intentry-bench-"));
const { chain, stop: stopChain } = await startBulkChain();
const postgres = await startPostgres();
const proxy = await startRpcProxy(chain.rpcUrl);
try {
  const contracts = await deploy(chain.client);
  await writeDeployment(stateFolder, proxy.url, contracts);
  const events = await makeEvents(chain, contracts, Number(options.events), () => {});
  proxy.latencyMs = Number(options.latency);

  const requests: Record<(typeof measured)[number], number[]> = { ceiling: [], intentry: [] };
  const seconds: typeof requests = { ceiling: [], intentry: [] };
  for (let round = 1; round <= Number(options.rounds); round++)
    for (const app of measured) {
      const databaseUrl = await postgres.createDatabase(`${app}_${round}`);
      proxy.calls.length = 0;
      const from = performance.now();
      await indexOnce(app, { env: { ...process.env, INTENTRY_DIR: stateFolder, DATABASE_URL: databaseUrl } });
      seconds[app].push((performance.now() - from) / 1000);
      requests[app].push((proxy.calls.length * 1000) / events);
      console.error(`round ${round}: ${app}: ${proxy.calls.length} requests`);
    }
  console.log(`\n${events} events, ${options.latency} ms latency, median of ${options.rounds}\n`);
  console.log(tableHeader(["App", "Requests per 1,000 events", "Seconds, with the start"]));
  for (const app of measured)
    console.log(tableRow([app, formatRate(median(requests[app])), median(seconds[app]).toFixed(1)]));
} finally {
  await proxy.close();
  await stopChain();
  await postgres.stop();
  await rm(stateFolder, { recursive: true, force: true });
}
