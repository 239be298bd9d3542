import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnvironment } from "../../config/environment";
import { buildSchema } from "../../config/index-build";
import { connect } from "../../stack/chain";
import { type Child, startChild, waitFor } from "../../stack/child";
import { compile } from "../../stack/compile.js";
import { startGateway } from "../../stack/gateway";
import { startIndexStack } from "../../stack/index-stack";
import { indexReady } from "../../stack/indexer";
import { startLocalChain } from "../../stack/local-chain";
import { freePorts } from "../../stack/ports";
import { startPostgres } from "../../stack/postgres/test-server";
import { publishExamples } from "../../stack/sample/published";

export const serverNames = ["hot", "cold", "express", "empty"] as const;
export type ServerName = (typeof serverNames)[number];

export type Servers = {
  /** The gateway with and without its response cache, Express with pg, and an empty Hono route. */
  ports: Record<ServerName, number>;
  stop: () => Promise<void>;
};

export const urlOf = (port: number) => `http://127.0.0.1:${port}`;

/** Compiles a server and starts it. Waits until it answers. */
async function startServer(program: string, port: number, path: string, env: NodeJS.ProcessEnv): Promise<Child> {
  const child = startChild({
    name: program,
    command: process.execPath,
    args: [await compile(program)],
    env: { ...env, PORT: String(port) },
  });
  await waitFor(child, "response", async () => (await fetch(`${urlOf(port)}${path}`)).ok || undefined);
  return child;
}

/**
 * Starts PostgreSQL, a chain with the sample activity, the indexer, and the servers to compare, all on one database. The
 * chain mines only for transactions, so the index does not change once it has caught up.
 */
export async function startServers(onProgress: (what: string) => void): Promise<Servers> {
  const stops: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const stopOne of stops.reverse()) await stopOne();
  };
  try {
    const [anvilPort = 0, ponderPort = 0, hot = 0, cold = 0, express = 0, empty = 0] = await freePorts(6);
    const stateFolder = await mkdtemp(join(tmpdir(), "intentry-reads-"));
    stops.push(() => rm(stateFolder, { recursive: true, force: true }));
    onProgress("Starting PostgreSQL");
    const postgres = await startPostgres();
    stops.push(postgres.stop);
    const databaseUrl = await postgres.createDatabase("reads");
    const env: NodeJS.ProcessEnv = {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_ENV: "production",
      INTENTRY_DIR: stateFolder,
      DATABASE_URL: databaseUrl,
      API_PORT: String(hot),
      PONDER_PORT: String(ponderPort),
      ANVIL_PORT: String(anvilPort),
    };
    const environment = parseEnvironment(env);
    const onChain = (chain: { child: Child }) => stops.push(chain.child.stop);
    const { rpcUrl } = await startLocalChain({ ...environment, databaseUrl }, onChain, onProgress);

    onProgress("Starting the indexer and the gateway");
    const onGivenUp = (error: Error) => {
      throw error;
    };
    const index = await startIndexStack({
      environment,
      databaseUrl,
      env,
      onLine() {},
      onNotice: onProgress,
      onGivenUp,
    });
    stops.push(index.stop);
    await indexReady(index.indexer.current(), urlOf(hot), await connect(rpcUrl).getBlockNumber());
    await publishExamples(urlOf(hot), undefined);

    onProgress("Starting the servers to compare");
    const { databaseSchema } = environment;
    const indexSchema = await buildSchema(databaseSchema, environment.network());
    const ofIndex = { ...env, DATABASE_SCHEMA: databaseSchema, INDEX_SCHEMA: indexSchema };
    const gateway = await startGateway({ env: { ...ofIndex, API_PORT: String(cold), RESPONSE_CACHE_BYTES: "0" } });
    stops.push(gateway.stop);
    await gateway.listening;
    stops.push((await startServer("bench/baseline/server.ts", express, "/health", ofIndex)).stop);
    stops.push((await startServer("bench/reads/empty-server.ts", empty, "/", env)).stop);
    return { ports: { hot, cold, express, empty }, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
