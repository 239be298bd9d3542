import { createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { setTimeout } from "node:timers/promises";
import { createPublicClient, fallback, http } from "viem";
import { describeSources, loadEnvFiles } from "../config/env-files";
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
import { progressBar, progressText, readProgress, watchProgress } from "./progress";
import { reindex } from "./reindex";
import { people } from "./sample/people";
import { publishExamples } from "./sample/published";
import { ownStateFolder, type StateFolder } from "./state-folder";
import { createStepLog } from "./step-log";
import { createTerminal } from "./terminal";
import { REORG_EXIT_CODE, REORG_SENTENCE } from "./unrecoverable-reorg";

const isDevelopment = process.argv.includes("--dev");

/** The local chain mines a block for every transaction, and also at this interval. */
const BLOCK_TIME_MS = 2_000;

/** In start order. Stopped in reverse. */
const parts: { stop: () => Promise<void> }[] = [];
let state: StateFolder | undefined;
let stopping = false;

/** How long `/ready` responds 503 with the reason before the stack stops. */
const FAILURE_NOTICE_MS = 5_000;

/** The interval at which the progress is read, and at which it is printed unless there is a terminal. */
const PROGRESS_MS = 1_000;
const PROGRESS_LINE_MS = 10_000;

const terminal = createTerminal(process.stdout);
const log = createStepLog(terminal.print);

async function stopAll(code: number): Promise<never> {
  if (!stopping) {
    stopping = true;
    log.end();
    terminal.setStatus("");
    for (const part of parts.reverse()) await part.stop();
    process.exit(code);
  }
  return new Promise(() => {});
}

/** Stops the whole stack when the child ends. */
function stopWhenEnded(child: Child): void {
  parts.push(child);
  void state?.record(child);
  void child.ended.then((code) => {
    if (stopping) return;
    console.error(new ChildEnded(child, code).message);
    void stopAll(1);
  });
}

/**
 * On the local chain, writes the log to a file and prints only errors: Ponder's warnings, such as a late block, matter only
 * on public chains. On other chains, prints every line.
 */
async function logLines({ stateFolder, networkName }: Environment): Promise<(line: string) => void> {
  if (networkName !== "local") return terminal.print;
  await mkdir(stateFolder, { recursive: true });
  const file = createWriteStream(join(stateFolder, "ponder.log"));
  return (line) => {
    file.write(`${line}\n`);
    const isError = /^\{"level":[56]0/.test(line);
    if (!stopping && (isError || !line.startsWith("{"))) terminal.print(line);
  };
}

function fail(error: Error): void {
  console.error(error.message);
  void stopAll(1);
}

/** Asks for confirmation on the terminal. Returns false without one. */
async function confirm(question: string): Promise<boolean> {
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

function printUsage({ apiUrl, ponderUrl, rpcUrl, contracts }: LocalDeployment, withSample: boolean): void {
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
  // Without the sample, all lists are empty.
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
  terminal.print(lines.join("\n"));
}

/** Shows the progress of the backfill until the index has caught up. */
function showBackfill(environment: Environment): void {
  const { networkName } = environment;
  let printedAt = Date.now();
  const stop = watchProgress({
    read: () => readProgress(environment),
    intervalMs: PROGRESS_MS,
    onProgress(progress, eventsPerSecond) {
      const text = progressText(progress, eventsPerSecond);
      terminal.setStatus(`${progressBar(progress.progress)} ${text}`);
      if (process.stdout.isTTY || Date.now() - printedAt < PROGRESS_LINE_MS) return;
      printedAt = Date.now();
      log.done(`Indexing ${networkName}: ${text}`);
    },
    onReady() {
      terminal.setStatus("");
      log.done("The index has caught up");
    },
  });
  parts.push({ stop: async () => stop() });
}

async function startDatabase({ stateFolder }: Environment): Promise<string> {
  log.step("Starting PostgreSQL");
  const { child, databaseUrl } = await startEmbeddedPostgres(stateFolder);
  stopWhenEnded(child);
  return databaseUrl;
}

async function main(): Promise<void> {
  log.done(describeSources(loadEnvFiles(".", process.env)));
  const environment = parseEnvironment(process.env);
  const { networkName, apiPort, apiUrl, ponderPort, anvilPort } = environment;
  state = await ownStateFolder(environment.stateFolder);
  await requireFreePort(apiPort, "API_PORT");
  await requireFreePort(ponderPort, "PONDER_PORT");
  const onLine = await logLines(environment);

  if (networkName === "local") await requireFreePort(anvilPort, "ANVIL_PORT");
  const databaseUrl = environment.databaseUrl ?? (await startDatabase(environment));
  await databaseReady(databaseUrl, (error) => log.step(`${error.message}. Retrying for up to a minute`));
  const env = { ...process.env, DATABASE_URL: databaseUrl };

  let deployment: LocalDeployment | undefined;
  if (networkName === "local")
    deployment = await startLocalChain(
      { ...environment, databaseUrl },
      (chain) => stopWhenEnded(chain.child),
      log.step,
    );
  log.step("Starting the indexer and the gateway");
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
  // Stopping waits until the start has completed: an indexer killed in between would keep its lock.
  parts.push({ stop: async () => (await starting.catch(() => undefined))?.stop() });
  const repairAfterReorg = async () => {
    console.error(REORG_SENTENCE);
    const index = await starting;
    for (const gateway of index.gateways) gateway.current().reportFailure(REORG_SENTENCE);
    if (!(await confirm("Rebuild the index now?"))) {
      // Gives load balancers time to read the reason from /ready.
      await setTimeout(FAILURE_NOTICE_MS);
      return stopAll(REORG_EXIT_CODE);
    }
    await index.stop();
    await reindex({ databaseUrl, schema: environment.databaseSchema, ...chainOf(environment) });
    starting = startIndex();
    await starting;
    log.done("The index is being rebuilt");
  };
  const { indexer, gateways } = await starting;
  if (!deployment) {
    log.done(`Indexing ${networkName}. ${apiUrl}/ready returns 200 once the index has caught up. Stop with Ctrl-C.`);
    showBackfill(environment);
    return;
  }
  const chain = connect(deployment.rpcUrl);
  const stopWatching = watchProgress({
    read: () => readProgress(environment),
    intervalMs: PROGRESS_MS,
    onProgress: (progress, eventsPerSecond) => log.detail(progressText(progress, eventsPerSecond)),
    onReady: () => {},
  });
  await indexReady(indexer.current(), apiUrl, await chain.getBlockNumber()).finally(stopWatching);
  // One gateway answers already. Wait for the others too, or until they have ended and are restarted.
  await Promise.allSettled(gateways.map((gateway) => gateway.current().listening));
  log.done("The index has caught up");
  if (environment.sampleActivity) {
    log.step("Sample activity: documents, a schema and metadata");
    await publishExamples(deployment.apiUrl, environment.writeTokens[0]);
  }
  mineEvery(chain, BLOCK_TIME_MS);
  log.end();
  printUsage(deployment, environment.sampleActivity);
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
