import { createWriteStream, existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type Environment, parseEnvironment } from "../config/environment";
import type { LocalDeployment } from "../config/networks";
import { connect, mineEvery } from "./chain";
import { type Child, ChildEnded } from "./child";
import { indexerReady, startIndexer } from "./indexer";
import { startLocalChain } from "./local-chain";
import { requireFreePort } from "./ports";
import { people } from "./sample/people";
import { publishExamples } from "./sample/published";

const isDevelopment = process.argv.includes("--dev");

/** The local chain has a block for every transaction, and one this often. */
const BLOCK_TIME_MS = 2_000;

/** Started in this order, ended in the opposite one. */
const children: Child[] = [];
let stopping = false;

const startedAt = Date.now();
const say = (what: string) => console.log(`[${((Date.now() - startedAt) / 1000).toFixed(1).padStart(5)} s] ${what}`);

async function stopAll(code: number): Promise<never> {
  if (!stopping) {
    stopping = true;
    for (const child of children.reverse()) await child.stop();
    process.exit(code);
  }
  return new Promise(() => {});
}

/** A child that ends unasked takes the stack down with it. */
function supervise(child: Child): Child {
  children.push(child);
  void child.ended.then((code) => {
    if (stopping) return;
    console.error(new ChildEnded(child, code).message);
    void stopAll(1);
  });
  return child;
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

async function main(): Promise<void> {
  // The file that Ponder reads too, so that both see one environment.
  if (existsSync(".env.local")) process.loadEnvFile(".env.local");
  const environment = parseEnvironment(process.env);
  const { networkName, apiPort, ponderPort, anvilPort, databaseSchema } = environment;
  await requireFreePort(apiPort, "API_PORT");
  await requireFreePort(ponderPort, "PONDER_PORT");
  const onLine = await logLines(environment);

  let deployment: LocalDeployment | undefined;
  if (networkName === "local") {
    await requireFreePort(anvilPort, "ANVIL_PORT");
    deployment = await startLocalChain(environment, (chain) => supervise(chain.child), say);
  }
  say("Starting the indexer and the gateway");
  const indexer = supervise(
    startIndexer({
      command: isDevelopment ? "dev" : "start",
      ponderPort,
      apiPort,
      databaseSchema,
      env: isDevelopment ? { NODE_ENV: "development", ...process.env } : process.env,
      onLine,
    }),
  );
  if (!deployment) {
    say(
      `Indexing ${networkName}. http://127.0.0.1:${apiPort}/ready answers 200 once it has caught up. Stop with Ctrl-C.`,
    );
    return;
  }
  await indexerReady(indexer, apiPort);
  say("The index has caught up");
  if (environment.sampleActivity) {
    say("Sample activity: documents, a schema and metadata");
    await publishExamples(deployment.apiUrl, environment.writeTokens[0]);
  }
  mineEvery(connect(deployment.rpcUrl), BLOCK_TIME_MS);
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
