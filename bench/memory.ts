import { execFileSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { exampleRequests } from "../test/support/same-answers/examples";
import { requestBytes, startLoadGenerator } from "./reads/load";
import { tableHeader, tableRow } from "./report";
import { startSampleStack } from "./sample-stack";

/**
 * Measures the resident memory of the indexer and the gateway: at rest, under load of every GET route in turn, and after.
 * `npm run bench:memory -- [--seconds 60]`
 */
const CONNECTIONS = 16;
const WINDOW_MS = 1_000;
const REST_MS = 15_000;
const SAMPLE_MS = 250;

const { values: options } = parseArgs({ options: { seconds: { type: "string", default: "60" } } });

/** The resident set of a process, in bytes. */
const residentBytes = (pid: number) => Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)])) * 1024;

const stack = await startSampleStack((what) => console.error(what));
const load = await startLoadGenerator();
try {
  const { index, apiUrl, environment } = stack;
  const pids = { indexer: index.indexer.current().pid, gateway: index.gateways[0]?.current().pid ?? 0 };
  const measure = () => ({ indexer: residentBytes(pids.indexer), gateway: residentBytes(pids.gateway) });
  await sleep(REST_MS);
  const atRest = measure();

  const underLoad = { ...atRest };
  const sampling = setInterval(() => {
    const now = measure();
    underLoad.indexer = Math.max(underLoad.indexer, now.indexer);
    underLoad.gateway = Math.max(underLoad.gateway, now.gateway);
  }, SAMPLE_MS);
  const reads = (await exampleRequests(apiUrl)).filter(({ request }) => request.method === "GET");
  const until = Date.now() + Number(options.seconds) * 1000;
  for (let next = 0; Date.now() < until; next++) {
    const example = reads[next % reads.length];
    if (!example) break;
    const job = { port: environment.apiPort, connections: CONNECTIONS, warmUpMs: 0, windowMs: WINDOW_MS };
    await load.measure({ ...job, ...requestBytes(example.request) });
  }
  clearInterval(sampling);
  await sleep(REST_MS);
  const after = measure();

  const megabytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MB`;
  console.log(tableHeader(["Process", "At rest", "Highest under load", "After"]));
  for (const name of ["indexer", "gateway"] as const)
    console.log(tableRow([name, ...[atRest, underLoad, after].map((measured) => megabytes(measured[name]))]));
} finally {
  load.stop();
  await stack.stop();
}
