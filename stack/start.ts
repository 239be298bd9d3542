import { createWriteStream, existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { setTimeout } from "node:timers/promises";
import { createPublicClient, fallback, http } from "viem";
import { type Environment, parseEnvironment } from "../config/environment";
import type { LocalDeployment } from "../config/networks";
import { connect, mineEvery } from "./chain";
import { type Child, ChildEnded } from "./child";
import { databaseReady } from "./index-builds";
import { startIndexStack } from "./index-stack";
import { indexReady } from "./indexer";
import { startLocalChain } from "./local-chain";
import { requireFreePort } from "./ports";
import { startEmbeddedPostgres } from "./postgres/embedded";
import { reindex } from "./reindex";
import { people } from "./sample/people";
import { publishExamples } from "./sample/published";
import { ownStateFolder, type StateFolder } from "./state-folder";
import { REORG_EXIT_CODE, REORG_SENTENCE } from "./unrecoverable-reorg";

const isDevelopment = process.argv.includes("--dev");

/** The local chain has a block for every transaction, and one this often. */
const BLOCK_TIME_MS = 2_000;

/** Started in this order, stopped in the opposite one. */
const parts: { stop: () => Promise<void> }[] = [];
let state: StateFolder | undefined;
let stopping = false;

/** How long the gateway goes on answering 503 with the reason before the stack stops. */
const REPORTED_MS = 5_000;

const startedAt = Date.now();
const say = (what: string) => console.log(`[${((Date.now() - startedAt) / 1000).toFixed(1).padStart(5)} s] ${what}`);

async function stopAll(code: number): Promise<never> {
  if (!stopping) {
    stopping = true;
    for (const part of parts.reverse()) await part.stop();
    process.exit(code);
  }
  return new Promise(() => {});
}

/** Starts to depend on a child: the stack stops when it ends. */
function dependOn(child: Child): void {
  parts.push(child);
  void state?.record(child);
  void child.ended.then((code) => {
    if (stopping) return;
    console.error(new ChildEnded(child, code).message);
    void stopAll(1);
  });
}

/**
 * On a local chain Ponder's log goes to a file, and only errors are shown: its warnings are of public chains, such as that
 * no block came for a while. Elsewhere the log is the process's own output.
 */
async function logLines({ stateFolder, networkName }: Environment): Promise<(line: string) => void> {
  if (networkName !== "local") return (line) => console.log(line);
  await mkdir(stateFolder, { recursive: true });
  const file = createWriteStream(join(stateFolder, "ponder.log"));
  return (line) => {
    file.write(`${line}\n`);
    const isError = /^\{"level":[56]0/.test(line);
    if (!stopping && (isError || !line.startsWith("{"))) console.log(line);
  };
}

function fail(error: Error): void {
  console.error(error.message);
  void stopAll(1);
}

/** Asks the person at the terminal. Without one, the answer is no. */
async function isConfirmed(question: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question(`${question} [y/N] `);
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}

function chainOf({ network }: Environment) {
  const { chainId, rpcUrls } = network();
  return { chainId, chain: createPublicClient({ transport: fallback(rpcUrls.map((url) => http(url))) }) };
}

function showWhatToTry({ apiUrl, ponderUrl, rpcUrl, contracts }: LocalDeployment, withSample: boolean): void {
  const lines = [
    "",
    `Ready. The gateway is on ${apiUrl}, GraphQL on ${ponderUrl}/graphql, the chain on ${rpcUrl}.`,
    "",
    ...Object.entries(contracts).map(([name, address]) => `  ${name.padEnd(20)} ${address}`),
    "",
  ];
  if (withSample)
    lines.push(
      `  An agent's owner     ${people.alice.address}`,
      `  A solver's operator  ${people.swiftSolver.address}`,
      `  A merchant's owner   ${people.dataMerchant.address}`,
      "",
    );
  // Without the sample there is nothing to be found but lists that are empty.
  const requests = withSample
    ? ["/intents/1", "/intents/5/bids", `/agents?owner=${people.alice.address}`]
    : ["/ready", "/intents"];
  lines.push(
    `Open ${apiUrl}/docs in a browser, or try:`,
    "",
    ...requests.map((path) => `  curl '${apiUrl}${path}'`),
    "",
    "Buy a portfolio for $0.01, with test dollars (x402):",
    "",
    "  npm run pay",
    "",
    "Stop with Ctrl-C.",
  );
  console.log(lines.join("\n"));
}

async function startDatabase({ stateFolder }: Environment): Promise<string> {
  say("Starting PostgreSQL");
  const { child, databaseUrl } = await startEmbeddedPostgres(stateFolder);
  dependOn(child);
  return databaseUrl;
}

async function main(): Promise<void> {
  // The file that Ponder reads too, so that both see one environment.
  if (existsSync(".env.local")) process.loadEnvFile(".env.local");
  const environment = parseEnvironment(process.env);
  const { networkName, apiPort, ponderPort, anvilPort } = environment;
  state = await ownStateFolder(environment.stateFolder);
  await requireFreePort(apiPort, "API_PORT");
  await requireFreePort(ponderPort, "PONDER_PORT");
  const onLine = await logLines(environment);

  if (networkName === "local") await requireFreePort(anvilPort, "ANVIL_PORT");
  const databaseUrl = environment.databaseUrl ?? (await startDatabase(environment));
  await databaseReady(databaseUrl, (error) => say(`${error.message}. Waiting for it`));
  // A new port each time must not make cursors invalid, so their secret is not made from this URL.
  const env = { ...process.env, DATABASE_URL: databaseUrl, CURSOR_SECRET: environment.cursorSecret };

  let deployment: LocalDeployment | undefined;
  if (networkName === "local")
    deployment = await startLocalChain({ ...environment, databaseUrl }, (chain) => dependOn(chain.child), say);
  say("Starting the indexer and the gateway");
  const startIndex = () =>
    startIndexStack({
      environment,
      databaseUrl,
      watch: isDevelopment,
      env: isDevelopment ? { NODE_ENV: "development", ...env } : env,
      onStarted: (child) => void state?.record(child),
      onLine,
      onNotice: (sentence) => console.error(sentence),
      onReorgBeyondFinality: () => void repairAfterReorg().catch(fail),
      onGivenUp: fail,
    });
  let starting = startIndex();
  // A stop while it starts waits until it can be stopped in order: a killed indexer would keep its lock.
  parts.push({ stop: async () => (await starting.catch(() => undefined))?.stop() });
  const repairAfterReorg = async () => {
    console.error(REORG_SENTENCE);
    const index = await starting;
    index.gateway.current().reportFailure(REORG_SENTENCE);
    if (!(await isConfirmed("Rebuild the index now?"))) {
      // Load balancers get to see why before the gateway is gone.
      await setTimeout(REPORTED_MS);
      return stopAll(REORG_EXIT_CODE);
    }
    await index.stop();
    await reindex({ databaseUrl, schema: environment.databaseSchema, ...chainOf(environment) });
    starting = startIndex();
    await starting;
    say("The index is being rebuilt");
  };
  const { indexer } = await starting;
  if (!deployment) {
    say(
      `Indexing ${networkName}. http://127.0.0.1:${apiPort}/ready answers 200 once it has caught up. Stop with Ctrl-C.`,
    );
    return;
  }
  const chain = connect(deployment.rpcUrl);
  await indexReady(indexer.current(), apiPort, await chain.getBlockNumber());
  say("The index has caught up");
  if (environment.sampleActivity) {
    say("Sample activity: documents, a schema and metadata");
    await publishExamples(deployment.apiUrl, environment.writeTokens[0]);
  }
  mineEvery(chain, BLOCK_TIME_MS);
  showWhatToTry(deployment, environment.sampleActivity);
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => void stopAll(0));

try {
  await main();
} catch (error) {
  if (!stopping) {
    console.error(error instanceof Error ? error.message : error);
    await stopAll(1);
  }
}
