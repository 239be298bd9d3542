import { join } from "node:path";
import { z } from "zod";
import { projectRoot } from "../../config/project-root";
import { devArguments, PONDER, setPonderVariables, startArguments } from "../roles/ponder";
import { type Child, startChild, waitFor } from "./child";

/**
 * Indexing allocates many short-lived objects. A larger young generation makes garbage collection much cheaper. The commands
 * of `npm run indexer` and of deploy/ have the same flag.
 */
const YOUNG_GENERATION = "--max-semi-space-size=64";

/** Ponder aborts its own graceful shutdown after 5 s. */
const GRACE_MS = 6_000;

type Options = {
  /** The folder of the Ponder app. Default: this project. */
  root?: string;
  ponderPort: number;
  /** The address of Ponder's port. Default: loopback. */
  ponderHost?: string;
  /** The schema of the build. */
  schema: string;
  /** The schema for views of the index. Default: no views. */
  viewsSchema?: string;
  /** Whether to run `ponder dev`, which reloads its sources and has no views. */
  watch?: boolean;
  env: NodeJS.ProcessEnv;
  onLine?: (line: string) => void;
};

/** Whether a log line says that Ponder's HTTP server listens. Ponder has accepted its configuration then. */
export const isListening = (line: string): boolean => line.includes('"msg":"Created HTTP server"');

/** Whether a log line says that Ponder looks for another port. */
const isPortInUse = (line: string): boolean => line.includes('"msg":"Port in use"');

/** Starts Ponder. Its port is for operators. If the port is in use, Ponder tries the next one, and this function stops it. */
export function startIndexer({
  root = projectRoot,
  ponderPort,
  ponderHost = "127.0.0.1",
  schema,
  viewsSchema,
  watch = false,
  env,
  onLine,
}: Options): Child {
  const variables = { ...env };
  setPonderVariables(variables, ponderPort);
  const options = { root, schema, ponderPort, ponderHost };
  let isStopped = false;
  const indexer = startChild({
    name: "ponder",
    command: process.execPath,
    args: [
      YOUNG_GENERATION,
      join(root, PONDER),
      ...(watch ? devArguments(options) : startArguments({ ...options, viewsSchema })),
    ],
    cwd: root,
    env: variables,
    graceMs: GRACE_MS,
    onLine(line) {
      onLine?.(line);
      if (isStopped || !isPortInUse(line)) return;
      isStopped = true;
      onLine?.(`Port ${ponderPort} is in use, so Ponder was stopped. Set PONDER_PORT to a free port.`);
      void indexer.stop();
    },
  });
  return indexer;
}

/** Each request takes milliseconds of CPU from the indexer, which is loading. */
const READY_POLL_MS = 200;

const fetchReady = (url: string) => fetch(`${url}/ready`, { signal: AbortSignal.timeout(5_000) });

/** Waits until the gateway responds, also that it is not ready. */
export const gatewayResponds = (indexer: Child, apiUrl: string) =>
  waitFor(indexer, "response of the gateway", async () => !!(await fetchReady(apiUrl)), 120_000, READY_POLL_MS);

/** Waits until the gateway is ready and has indexed the block. */
export const indexReady = (indexer: Child, apiUrl: string, block: bigint) =>
  waitFor(
    indexer,
    `block ${block} in the index`,
    async () => {
      const response = await fetchReady(apiUrl);
      const { block_number } = z.object({ block_number: z.coerce.bigint() }).parse(await response.json());
      return (response.ok && block_number >= block) || undefined;
    },
    120_000,
    READY_POLL_MS,
  );

/** Waits until Ponder has completed the backfill. */
export const historyIndexed = (indexer: Child, ponderPort: number) =>
  waitFor(
    indexer,
    "complete history",
    async () => (await fetchReady(`http://127.0.0.1:${ponderPort}`)).ok || undefined,
    120_000,
  );
