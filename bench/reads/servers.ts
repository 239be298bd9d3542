import { buildSchema } from "../../config/index-build";
import { type Child, startChild, waitFor } from "../../stack/child";
import { compile } from "../../stack/compile.js";
import { startGateway } from "../../stack/gateway";
import { freePorts } from "../../stack/ports";
import { startSampleStack, urlOf } from "../sample-stack";

export const serverNames = ["hot", "cold", "express", "empty"] as const;
export type ServerName = (typeof serverNames)[number];

export type Servers = {
  /** The gateway with and without its response cache, Express with pg, and an empty Hono route. */
  ports: Record<ServerName, number>;
  stop: () => Promise<void>;
};

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

/** Starts the sample stack, and the servers to compare on its database. The gateway of the stack is the one with a cache. */
export async function startServers(onProgress: (what: string) => void): Promise<Servers> {
  const stack = await startSampleStack(onProgress);
  const stops: (() => Promise<unknown>)[] = [stack.stop];
  const stop = async () => {
    for (const stopOne of stops.reverse()) await stopOne();
  };
  try {
    onProgress("Starting the servers to compare");
    const { env, environment } = stack;
    const [cold = 0, express = 0, empty = 0] = await freePorts(3);
    const { databaseSchema } = environment;
    const indexSchema = await buildSchema(databaseSchema, environment.network());
    const ofIndex = { ...env, DATABASE_SCHEMA: databaseSchema, INDEX_SCHEMA: indexSchema };
    const gateway = await startGateway({ env: { ...ofIndex, API_PORT: String(cold), RESPONSE_CACHE_BYTES: "0" } });
    stops.push(gateway.stop);
    await gateway.listening;
    stops.push((await startServer("bench/baseline/server.ts", express, "/health", ofIndex)).stop);
    stops.push((await startServer("bench/reads/empty-server.ts", empty, "/", env)).stop);
    return { ports: { hot: environment.apiPort, cold, express, empty }, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
