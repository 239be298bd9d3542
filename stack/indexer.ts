import { join, resolve } from "node:path";
import { type Child, startChild, waitFor } from "./child";

const projectRoot = resolve(import.meta.dirname, "..");
const ponderBinary = join(projectRoot, "node_modules", "ponder", "dist", "esm", "bin", "ponder.js");

/** Indexing makes many objects that die young; with room for them, collecting them costs a fraction. */
const YOUNG_GENERATION = "--max-semi-space-size=64";

/** Which Ponder app, and how it runs: `dev` reloads on an edit. */
export type PonderApp = {
  command: "start" | "dev";
  /** The folder of the app; unset, this project's own. */
  root?: string;
};

type Options = PonderApp & {
  ponderPort: number;
  apiPort: number;
  databaseSchema: string;
  env: NodeJS.ProcessEnv;
  onLine?: (line: string) => void;
};

/** Starts Ponder, and with it the gateway, on the environment given. Its own port is the operators' and stays on loopback. */
export function startIndexer({
  command,
  ponderPort,
  apiPort,
  databaseSchema,
  root = projectRoot,
  env,
  onLine,
}: Options): Child {
  const { PORT: _, ...rest } = env; // PORT would win over --port
  return startChild({
    name: "ponder",
    command: process.execPath,
    args: [
      YOUNG_GENERATION,
      ponderBinary,
      command,
      ["--root", root],
      ["--schema", databaseSchema],
      ["--port", String(ponderPort)],
      ["--hostname", "127.0.0.1"],
      ["--log-format", "json"],
      command === "dev" ? ["--disable-ui"] : [],
    ].flat(),
    cwd: projectRoot,
    env: {
      ...rest,
      API_PORT: String(apiPort),
      PONDER_PORT: String(ponderPort),
      DATABASE_SCHEMA: databaseSchema,
      PONDER_TELEMETRY_DISABLED: "true",
    },
    onLine,
  });
}

/** Waits until the gateway says that the index has caught up with the chain. */
export const indexerReady = (child: Child, apiPort: number, timeoutMs = 120_000) =>
  waitFor(
    child,
    "caught-up index",
    async () => {
      const response = await fetch(`http://127.0.0.1:${apiPort}/ready`, { signal: AbortSignal.timeout(5_000) });
      return response.ok || undefined;
    },
    timeoutMs,
  );
