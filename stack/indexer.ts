import { resolve } from "node:path";
import { z } from "zod";
import { type Child, startChild, waitFor } from "./child";
import { compileIndexer } from "./compile.js";

const projectRoot = resolve(import.meta.dirname, "..");

/** Indexing allocates many short-lived objects. A larger young generation makes garbage collection much cheaper. */
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
  /** The schema for views of the index, created once it has caught up. Default: no views. */
  viewsSchema?: string;
  env: NodeJS.ProcessEnv;
  onLine?: (line: string) => void;
};

/** Whether a log line says that Ponder's HTTP server listens. Ponder has accepted its configuration then. */
export const isListening = (line: string): boolean => line.includes('"msg":"Created HTTP server"');

/** Whether a log line says that Ponder looks for another port. */
const isPortInUse = (line: string): boolean => line.includes('"msg":"Port in use"');

/**
 * Compiles Ponder and the app, and starts it. Its port is for operators. If the port is in use, Ponder tries the next one,
 * and this function stops it.
 */
export async function startIndexer({
  root = projectRoot,
  ponderPort,
  ponderHost = "127.0.0.1",
  schema,
  viewsSchema,
  env,
  onLine,
}: Options): Promise<Child> {
  const program = await compileIndexer(root);
  const { PORT: _, ...rest } = env; // PORT would win over --port
  let isStopped = false;
  const indexer = startChild({
    name: "ponder",
    command: process.execPath,
    args: [
      YOUNG_GENERATION,
      program,
      "start",
      ["--root", root],
      ["--schema", schema],
      viewsSchema ? ["--views-schema", viewsSchema] : [],
      ["--port", String(ponderPort)],
      ["--hostname", ponderHost],
      ["--log-format", "json"],
    ].flat(),
    cwd: projectRoot,
    env: { ...rest, PONDER_PORT: String(ponderPort), PONDER_TELEMETRY_DISABLED: "true" },
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

const fetchReady = (url: string) => fetch(`${url}/ready`, { signal: AbortSignal.timeout(5_000) });

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
  );

/** Waits until Ponder has completed the backfill. */
export const historyIndexed = (indexer: Child, ponderPort: number) =>
  waitFor(
    indexer,
    "complete history",
    async () => (await fetchReady(`http://127.0.0.1:${ponderPort}`)).ok || undefined,
    120_000,
  );
