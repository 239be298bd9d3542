import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { compareServers } from "../test/support/same-answers/compare";
import { type Example, exampleRequests } from "../test/support/same-answers/examples";
import { type Bar, ratioPlot } from "./plot";
import { EMPTY_PATH } from "./reads/empty-route";
import { type LoadGenerator, requestBytes, startLoadGenerator } from "./reads/load";
import { type ServerName, type Servers, serverNames, startServers } from "./reads/servers";
import { formatRate, median, tableHeader, tableRow } from "./report";
import { urlOf } from "./sample-stack";

/**
 * Measures requests per second of every route, on the gateway with and without its response cache, on a plain server of
 * Express and pg with the same answers (bench/baseline), and of an empty Hono route. All run on the same database; their
 * rounds alternate. `npm run bench:reads -- [--routes /health,/intents] [--rounds 5] [--connections 16,128] [--json FILE] [--svg FILE]`
 */
const WARM_UP_MS = 200;
const WINDOW_MS = 1_000;

const { values: options } = parseArgs({
  options: {
    routes: { type: "string" },
    rounds: { type: "string", default: "5" },
    connections: { type: "string", default: "16,128" },
    json: { type: "string" },
    svg: { type: "string" },
  },
});

type Measured = { route: string; connections: number; requestsPerSecond: Record<ServerName, number[]> };

/** Measures one route on all servers in turn. A short round before the first warms up the servers. */
async function measureRoute(
  { measure }: LoadGenerator,
  { ports }: Servers,
  { route, request }: Example,
  connections: number,
): Promise<Measured> {
  const requestsPerSecond: Measured["requestsPerSecond"] = { hot: [], cold: [], express: [], empty: [], onlyEmpty: [] };
  const measureOn = (name: ServerName, windowMs: number) => {
    const bytes = requestBytes(request, name === "empty" || name === "onlyEmpty" ? EMPTY_PATH : undefined);
    return measure({ port: ports[name], connections, ...bytes, warmUpMs: WARM_UP_MS, windowMs });
  };
  for (const name of serverNames) await measureOn(name, WARM_UP_MS);
  for (let round = 0; round < Number(options.rounds); round++)
    for (const name of serverNames) requestsPerSecond[name].push(await measureOn(name, WINDOW_MS));
  return { route, connections, requestsPerSecond };
}

const COLUMNS = [
  "Route",
  "Ours, hot",
  "Ours, cold",
  "Express + pg",
  "Hot ratio",
  "Cold ratio",
  "Empty route",
  "Hot ratio",
  "Only an empty route",
  "Hot ratio",
];

/** The median of the rounds' ratios. Rates of the same round are measured one after the other, so a slow minute affects both. */
const ratioOf = (rates: readonly number[], others: readonly number[]) =>
  median(rates.map((rate, round) => rate / (others[round] ?? Number.NaN)));

/** The ratios to Express. The cache serves reads only. */
function barOf({ route, requestsPerSecond }: Measured): Bar {
  const { hot, cold, express } = requestsPerSecond;
  return {
    label: route,
    cold: ratioOf(cold, express),
    hot: route.startsWith("GET ") ? ratioOf(hot, express) : undefined,
  };
}

function rowOf({ route, requestsPerSecond }: Measured): string {
  const { hot, cold, express, empty, onlyEmpty } = requestsPerSecond;
  const rate = (rates: readonly number[]) => formatRate(median(rates));
  const ratio = (rates: readonly number[], others: readonly number[]) => ratioOf(rates, others).toFixed(2);
  return tableRow([
    `\`${route}\``,
    ...[rate(hot), rate(cold)],
    ...[rate(express), ratio(hot, express), ratio(cold, express)],
    ...[rate(empty), ratio(hot, empty), rate(onlyEmpty), ratio(hot, onlyEmpty)],
  ]);
}

/** Throws unless all servers give the same answers, because their speeds would mean nothing otherwise. */
async function requireSameAnswers({ ports }: Servers): Promise<void> {
  for (const other of ["cold", "express"] as const) {
    const { differences, compared } = await compareServers(urlOf(ports.hot), urlOf(ports[other]));
    if (differences.length > 0) throw new Error(`hot and ${other} differ:\n${differences.join("\n")}`);
    console.error(`${compared} answers of hot and ${other} are equal`);
  }
}

const wanted = options.routes?.split(",");
const servers = await startServers((what) => console.error(what));
const load = await startLoadGenerator();
try {
  await requireSameAnswers(servers);
  const examples = (await exampleRequests(urlOf(servers.ports.hot)))
    .filter(({ route }) => !wanted || wanted.includes(route.split(" ")[1] ?? ""))
    // Documents fill the database, so they are published last.
    .sort((one, other) => Number(one.request.method === "POST") - Number(other.request.method === "POST"));
  const measured: Measured[] = [];
  for (const connections of options.connections.split(",").map(Number)) {
    console.log(`\n${connections} connections, requests/s, median of ${options.rounds}\n`);
    console.log(tableHeader(COLUMNS));
    for (const example of examples) {
      const one = await measureRoute(load, servers, example, connections);
      measured.push(one);
      console.log(rowOf(one));
    }
  }
  const [fewest] = measured.map(({ connections }) => connections);
  const title = `Requests per second relative to Express + pg, ${fewest} connections`;
  const bars = measured.filter(({ connections }) => connections === fewest).map(barOf);
  if (options.svg) await writeFile(options.svg, ratioPlot(title, bars));
  if (options.json) await writeFile(options.json, `${JSON.stringify(measured, null, 2)}\n`);
} finally {
  load.stop();
  await servers.stop();
}
