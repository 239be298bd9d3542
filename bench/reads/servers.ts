import { buildSchema } from "../../config/index-build";
import { type Child, startChild, waitFor } from "../../stack/child";
import { compile } from "../../stack/compile.js";
import { GATEWAY_PROGRAM } from "../../stack/gateway";
import { freePorts } from "../../stack/ports";
import { startSampleStack, urlOf } from "../sample-stack";
import { EMPTY_PATH } from "./empty-route";

export const serverNames = ["hot", "cold", "express", "empty", "onlyEmpty"] as const;
export type ServerName = (typeof serverNames)[number];

export type Servers = {
  /**
   * The gateway with and without its response cache, Express with pg, and an empty Hono route: on the listener of the gateway
   * with a cache, and on a server that has nothing else.
   */
  ports: Record<ServerName, number>;
  stop: () => Promise<void>;
};

/** Compiles a server and starts it. Waits until it answers. */
async function startServer(program: string, port: number, path: string, env: NodeJS.ProcessEnv): Promise<Child> {
  const child = startChild({
    name: program,
    command: process.execPath,
    args: [await compile(program)],
    env: { ...env, PORT: String(port), API_PORT: String(port) },
  });
  await waitFor(child, "response", async () => (await fetch(`${urlOf(port)}${path}`)).ok || undefined);
  return child;
}

/** Starts the sample stack, and the servers to compare on its database. */
export async function startServers(onProgress: (what: string) => void): Promise<Servers> {
  const stack = await startSampleStack(onProgress);
  const stops: (() => Promise<unknown>)[] = [stack.stop];
  const stop = async () => {
    for (const stopOne of stops.reverse()) await stopOne();
  };
  try {
    onProgress("Starting the servers to compare");
    const { env, environment } = stack;
    const [hot = 0, cold = 0, express = 0, onlyEmpty = 0] = await freePorts(4);
    const { databaseSchema } = environment;
    const indexSchema = await buildSchema(databaseSchema, environment.network());
    const ofIndex = { ...env, DATABASE_SCHEMA: databaseSchema, INDEX_SCHEMA: indexSchema };
    stops.push((await startServer("bench/reads/gateway-server.ts", hot, "/health", ofIndex)).stop);
    const withoutCache = { ...ofIndex, RESPONSE_CACHE_BYTES: "0" };
    stops.push((await startServer(GATEWAY_PROGRAM, cold, "/health", withoutCache)).stop);
    stops.push((await startServer("bench/baseline/server.ts", express, "/health", ofIndex)).stop);
    stops.push((await startServer("bench/reads/empty-server.ts", onlyEmpty, EMPTY_PATH, env)).stop);
    return { ports: { hot, cold, express, empty: hot, onlyEmpty }, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
