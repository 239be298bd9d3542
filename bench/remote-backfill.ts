import type { Contracts } from "../stack/local/deploy";
import { startRpcProxy } from "../test/support/rpc-proxy";
import { type apps, indexOnce } from "./index-once";
import { writeDeployment } from "./large-index";
import { formatRate, median, tableHeader, tableRow } from "./report";

const measured = ["ceiling", "intentry"] as const satisfies (keyof typeof apps)[];

type Options = {
  rpcUrl: string;
  contracts: Contracts;
  stateFolder: string;
  createDatabase: (name: string) => Promise<string>;
  /** The number of events on the chain. */
  events: number;
  latencyMs: number;
  rounds: number;
};

/**
 * Measures a backfill through a remote node: the time, and the number of requests per 1,000 events, of Intentry and of a bare
 * Ponder app that only inserts each event. Each starts with an empty database.
 */
export async function measureRemoteBackfill(options: Options): Promise<void> {
  const { stateFolder, events, latencyMs, rounds } = options;
  const proxy = await startRpcProxy(options.rpcUrl);
  try {
    await writeDeployment(stateFolder, proxy.url, options.contracts);
    proxy.latencyMs = latencyMs;
    const requests: Record<(typeof measured)[number], number[]> = { ceiling: [], intentry: [] };
    const seconds: typeof requests = { ceiling: [], intentry: [] };
    for (let round = 1; round <= rounds; round++)
      for (const app of measured) {
        const databaseUrl = await options.createDatabase(`${app}_${round}`);
        proxy.calls.length = 0;
        const from = performance.now();
        await indexOnce(app, { env: { ...process.env, INTENTRY_DIR: stateFolder, DATABASE_URL: databaseUrl } });
        seconds[app].push((performance.now() - from) / 1000);
        requests[app].push((proxy.calls.length * 1000) / events);
        console.error(`round ${round}: ${app}: ${proxy.calls.length} requests`);
      }
    console.log(`\n${events} events, ${latencyMs} ms latency, median of ${rounds}\n`);
    console.log(tableHeader(["App", "Requests per 1,000 events", "Seconds, with the start"]));
    for (const app of measured)
      console.log(tableRow([app, formatRate(median(requests[app])), median(seconds[app]).toFixed(1)]));
  } finally {
    await proxy.close();
  }
}
