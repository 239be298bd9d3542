import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { exampleRequests } from "../test/support/same-answers/examples";
import { requestBytes, startLoadGenerator } from "./reads/load";
import { tableHeader, tableRow } from "./report";
import { residentMb } from "./resident-memory";
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

const stack = await startSampleStack((what) => console.error(what));
const load = await startLoadGenerator();
try {
  const { apiUrl, environment } = stack;
  await sleep(REST_MS);
  const atRest = residentMb(stack);

  const underLoad = { ...atRest };
  const sampling = setInterval(() => {
    const now = residentMb(stack);
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
  const after = residentMb(stack);

  console.log(tableHeader(["Process", "At rest", "Highest under load", "After"]));
  for (const name of ["indexer", "gateway"] as const)
    console.log(tableRow([name, ...[atRest, underLoad, after].map((measured) => `${measured[name].toFixed(0)} MB`)]));
} finally {
  load.stop();
  await stack.stop();
}
