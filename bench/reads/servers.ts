import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { buildName } from "../../config/index-build";
import { freePorts } from "../../stack/roles/ports";
import { startChild, waitFor } from "../../stack/supervision/child";
import { bundle, gatewayProgram } from "../../test/support/bundle";
import { startSampleStack, urlOf } from "../sample-stack";
import { EMPTY_PATH } from "./empty-route";

/** Servers on the same database. They take turns in the order of their names. */
export type Servers<Name extends string> = { ports: Record<Name, number>; stop: () => Promise<void> };

type Server = {
  /** The compiled program. */
  file: string;
  env?: NodeJS.ProcessEnv;
  /** The path that is requested until the server answers. */
  path?: string;
};

/** Starts a server and returns its port. */
type Start = (server: Server) => Promise<number>;

type Progress = (what: string) => void;

/** Starts the sample stack, and servers that read its index. */
async function startOnSample<Name extends string>(
  onProgress: Progress,
  startServers: (start: Start) => Promise<Record<Name, number>>,
): Promise<Servers<Name>> {
  const stack = await startSampleStack(onProgress);
  const stops: (() => Promise<unknown>)[] = [stack.stop];
  const stop = async () => {
    for (const stopOne of stops.reverse()) await stopOne();
  };
  const start: Start = async ({ file, env = {}, path = "/health" }) => {
    const [port = 0] = await freePorts(1);
    const child = startChild({
      name: file,
      command: process.execPath,
      args: [file],
      env: { ...ofIndex, ...env, PORT: String(port), API_PORT: String(port) },
    });
    stops.push(child.stop);
    await waitFor(child, "response", async () => (await fetch(`${urlOf(port)}${path}`)).ok || undefined);
    return port;
  };
  const { databaseSchema } = stack.environment;
  const ofIndex = { ...stack.env, DATABASE_SCHEMA: databaseSchema, INDEX_SCHEMA: "" };
  try {
    ofIndex.INDEX_SCHEMA = await buildName(databaseSchema, stack.environment.network());
    onProgress("Starting the servers to compare");
    const ports = await startServers(start);
    onProgress(`Ports: ${JSON.stringify(ports)}`);
    return { ports, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const WITHOUT_CACHE = { RESPONSE_CACHE_BYTES: "0" };

/**
 * The gateway with and without its response cache, Express with pg, and an empty Hono route: on the listener of the gateway
 * with a cache, and on a server that has nothing else.
 */
export const startBesideExpress = (onProgress: Progress) =>
  startOnSample(onProgress, async (start) => {
    const hot = await start({ file: await bundle("bench/reads/gateway-server.ts") });
    const cold = await start({ file: await gatewayProgram(), env: WITHOUT_CACHE });
    const express = await start({ file: await bundle("bench/baseline/server.ts") });
    const onlyEmpty = await start({ file: await bundle("bench/reads/empty-server.ts"), path: EMPTY_PATH });
    return { hot, cold, express, empty: hot, onlyEmpty };
  });

/** The gateway of another checkout, also of a commit before stack/build.js. */
async function gatewayOf(root: string): Promise<string> {
  if (existsSync(join(root, "stack", "build.js"))) return gatewayProgram(root);
  const { compile } = await import(pathToFileURL(join(root, "stack", "compile.js")).href);
  return compile("api/server.ts");
}

/** The gateway of this checkout and of another one, each built by itself, with and without the cache. */
export const startBesideCheckout = (root: string, onProgress: Progress) =>
  startOnSample(onProgress, async (start) => {
    const [file, otherFile] = [await gatewayProgram(), await gatewayOf(root)];
    const startOther = (env: NodeJS.ProcessEnv) =>
      start({ file: otherFile, env }).catch((error: unknown) => {
        const message = "The gateway of the other commit does not start on the database of this checkout";
        throw new Error(`${message}: ${String(error)}`, { cause: error });
      });
    return {
      hot: await start({ file }),
      otherHot: await startOther({}),
      cold: await start({ file, env: WITHOUT_CACHE }),
      otherCold: await startOther(WITHOUT_CACHE),
    };
  });
