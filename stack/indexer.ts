import { join, resolve } from "node:path";
import { z } from "zod";
import { type Child, startChild, waitFor } from "./child";

const projectRoot = resolve(import.meta.dirname, "..");
const ponderBinary = join(projectRoot, "node_modules", "ponder", "dist", "esm", "bin", "ponder.js");

/** Indexing makes many objects that die young; with room for them, collecting them costs a fraction. */
const YOUNG_GENERATION = "--max-semi-space-size=64";

/** Ponder itself gives up an orderly shutdown after 5 s. */
const GRACE_MS = 6_000;

type Options = {
  /** The folder of the Ponder app; unset, this project's own. */
  root?: string;
  ponderPort: number;
  /** The schema that it builds the index in. */
  schema: string;
  /** The schema in which it makes views of the index once it has caught up; unset, it makes none. */
  viewsSchema?: string;
  env: NodeJS.ProcessEnv;
  onLine?: (line: string) => void;
};

/** The port in Ponder's message that it listens; undefined for any other line of its log. */
const listeningPort = (line: string) => /"Created HTTP server","port":(\d+)/.exec(line)?.[1];

/**
 * Starts Ponder. Its port is for operators and listens on loopback only. When the port is busy, Ponder silently takes the
 * next free one; it is stopped then.
 */
export function startIndexer({ root = projectRoot, ponderPort, schema, viewsSchema, env, onLine }: Options): Child {
  const { PORT: _, ...rest } = env; // PORT would win over --port
  const indexer = startChild({
    name: "ponder",
    command: process.execPath,
    args: [
      YOUNG_GENERATION,
      ponderBinary,
      "start",
      ["--root", root],
      ["--schema", schema],
      viewsSchema ? ["--views-schema", viewsSchema] : [],
      ["--port", String(ponderPort)],
      ["--hostname", "127.0.0.1"],
      ["--log-format", "json"],
    ].flat(),
    cwd: projectRoot,
    env: { ...rest, PONDER_PORT: String(ponderPort), PONDER_TELEMETRY_DISABLED: "true" },
    graceMs: GRACE_MS,
    onLine(line) {
      onLine?.(line);
      const port = listeningPort(line);
      if (port === undefined || Number(port) === ponderPort) return;
      onLine?.(`Port ${ponderPort} is in use, so Ponder took ${port} and is stopped. Set PONDER_PORT to a free port.`);
      void indexer.stop();
    },
  });
  return indexer;
}

const askReady = (port: number) => fetch(`http://127.0.0.1:${port}/ready`, { signal: AbortSignal.timeout(5_000) });

/** Waits until the gateway says that it is ready, and that a block is indexed. */
export const indexReady = (indexer: Child, apiPort: number, block: bigint) =>
  waitFor(
    indexer,
    `block ${block} in the index`,
    async () => {
      const response = await askReady(apiPort);
      const { block_number } = z.object({ block_number: z.coerce.bigint() }).parse(await response.json());
      return (response.ok && block_number >= block) || undefined;
    },
    120_000,
  );

/** Waits until Ponder says that it has indexed the chain's history. */
export const historyIndexed = (indexer: Child, ponderPort: number) =>
  waitFor(indexer, "complete history", async () => (await askReady(ponderPort)).ok || undefined, 120_000);
