import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { type Example, exampleRequests } from "../test/support/same-answers/examples";
import { ratioPlot } from "./plot";
import { besideCommit } from "./reads/beside-commit";
import { besideExpress } from "./reads/beside-express";
import { type Comparison, NEW_ROUTE, type Rates } from "./reads/comparison";
import { type LoadGenerator, requestBytes, startLoadGenerator } from "./reads/load";
import { tableHeader, tableRow } from "./report";
import { urlOf } from "./sample-stack";

/**
 * Measures requests per second of ten routes, on the gateway with and without its response cache, on a plain server of
 * Express and pg with the same answers (bench/baseline), and of an empty Hono route. With `--against`, it compares every route
 * with the gateway of another commit instead. All run on the same database; their rounds alternate. Exits with 1 if a goal is missed.
 * `npm run bench reads -- [--against REF] [--routes /health,/intents] [--rounds 5] [--connections 16,128] [--json FILE] [--svg FILE]`
 */
const WARM_UP_MS = 200;
const WINDOW_MS = 1_000;

const { values: options } = parseArgs({
  options: {
    against: { type: "string" },
    routes: { type: "string" },
    rounds: { type: "string", default: "5" },
    connections: { type: "string", default: "16,128" },
    json: { type: "string" },
    svg: { type: "string" },
  },
});

/** Measures one route on all servers in turn. A short round before the first warms up the servers. */
async function measureRoute<Name extends string>(
  { measure }: LoadGenerator,
  { ports, pathOn }: Comparison<Name>,
  { request }: Example,
  connections: number,
): Promise<Rates<Name>> {
  const names = Object.keys(ports) as Name[];
  const rates = Object.fromEntries<number[]>(names.map((name) => [name, []])) as Rates<Name>;
  const measureOn = (name: Name, windowMs: number) => {
    const bytes = requestBytes(request, pathOn?.(name));
    return measure({ port: ports[name], connections, ...bytes, warmUpMs: WARM_UP_MS, windowMs });
  };
  for (const name of names) await measureOn(name, WARM_UP_MS);
  for (let round = 0; round < Number(options.rounds); round++)
    for (const name of names) rates[name].push(await measureOn(name, WINDOW_MS));
  return rates;
}

type Measured<Name extends string> = { route: string; connections: number; requestsPerSecond: Rates<Name> };

/** Measures every route over a number of connections. Returns the rates, and the goals that are missed. */
async function measureRoutes<Name extends string>(
  load: LoadGenerator,
  comparison: Comparison<Name>,
  examples: readonly Example[],
  connections: number,
): Promise<{ measured: Measured<Name>[]; missed: string[] }> {
  const { columns, cells, obstacle, ratios } = comparison;
  console.log(`\n${connections} connections, requests/s, median of ${options.rounds}\n`);
  console.log(tableHeader(["Route", ...columns]));
  const measured: Measured<Name>[] = [];
  const missed: string[] = [];
  for (const example of examples) {
    const { route } = example;
    const reason = await obstacle?.(example);
    const outcome = reason ?? (await measureRoute(load, comparison, example, connections).catch(String));
    if (typeof outcome === "string") {
      if (outcome !== NEW_ROUTE) missed.push(`${route} can't be compared: ${outcome}`);
      console.log(tableRow([`\`${route}\``, outcome, ...columns.slice(1).map(() => "")]));
    } else {
      measured.push({ route, connections, requestsPerSecond: outcome });
      console.log(tableRow([`\`${route}\``, ...cells(outcome)]));
    }
  }
  const routes = measured.map(({ route, requestsPerSecond }) => ratios(route, requestsPerSecond));
  return { measured, missed: [...missed, ...comparison.missed(routes, options.routes === undefined)] };
}

async function writeFiles<Name extends string>(
  { ratios, relativeTo }: Comparison<Name>,
  measured: readonly Measured<Name>[],
): Promise<void> {
  const [fewest] = measured.map(({ connections }) => connections);
  const title = `Requests per second relative to ${relativeTo}, ${fewest} connections`;
  const bars = measured
    .filter(({ connections }) => connections === fewest)
    .map(({ route, requestsPerSecond }) => ratios(route, requestsPerSecond));
  if (options.svg) await writeFile(options.svg, ratioPlot(title, bars));
  if (options.json) await writeFile(options.json, `${JSON.stringify(measured, null, 2)}\n`);
}

/** Measures the servers of a comparison and stops them. */
async function run<Name extends string>(comparison: Comparison<Name | "hot">): Promise<void> {
  const load = await startLoadGenerator();
  try {
    await comparison.requireSameAnswers?.();
    const wanted = options.routes?.split(",");
    const examples = (await exampleRequests(urlOf(comparison.ports.hot)))
      .filter(({ route }) => comparison.routes?.has(route) ?? true)
      .filter(({ route }) => !wanted || wanted.includes(route.split(" ")[1] ?? ""))
      // Documents fill the database, so they are published last.
      .sort((one, other) => Number(one.request.method === "POST") - Number(other.request.method === "POST"));
    const all: Measured<Name | "hot">[] = [];
    for (const connections of options.connections.split(",").map(Number)) {
      const { measured, missed } = await measureRoutes(load, comparison, examples, connections);
      all.push(...measured);
      console.log(missed.length === 0 ? "\nAll goals are met." : `\nMissed goals:\n${missed.join("\n")}`);
      if (missed.length > 0) process.exitCode = 1;
    }
    await writeFiles(comparison, all);
  } finally {
    load.stop();
    await comparison.stop();
  }
}

const onProgress = (what: string) => console.error(what);
if (options.against === undefined) await run(await besideExpress(onProgress));
else await run(await besideCommit(options.against, onProgress));
