import { accessSync, constants, existsSync } from "node:fs";
import { join } from "node:path";
import { InvalidEnvironment } from "../../config/environment";

/** Ponder's command line. */
export const PONDER = join("node_modules", ".bin", "ponder");

type Options = {
  /** The folder of the Ponder app. */
  root: string;
  /** The schema of the build. */
  schema: string;
  ponderPort: number;
  ponderHost: string;
};

const commonArguments = ({ root, schema, ponderPort, ponderHost }: Options) => [
  ["--root", root],
  ["--schema", schema],
  ["--port", String(ponderPort)],
  ["--hostname", ponderHost],
  ["--log-format", "json"],
];

/** The arguments of `ponder start`. The views of the index are created once it has caught up. */
export const startArguments = ({ viewsSchema, ...options }: Options & { viewsSchema?: string }): string[] =>
  ["start", viewsSchema ? ["--views-schema", viewsSchema] : [], commonArguments(options)].flat(2);

/** The arguments of `ponder dev`, which reloads its sources and has no views. */
export const devArguments = (options: Options): string[] => ["dev", "--disable-ui", commonArguments(options)].flat(2);

/** Sets the variables of Ponder. PORT would win over `--port`. */
export function setPonderVariables(env: NodeJS.ProcessEnv, ponderPort: number): void {
  delete env.PORT;
  env.PONDER_PORT = String(ponderPort);
  env.PONDER_TELEMETRY_DISABLED = "true";
}

/** Types for editors, which Ponder writes at each start. */
const TYPES = "ponder-env.d.ts";

/** Throws {@link InvalidEnvironment} if Ponder could not start because its folder is read-only. */
export function requireWritableTypes(root: string): void {
  const file = join(root, TYPES);
  try {
    accessSync(existsSync(file) ? file : root, constants.W_OK);
  } catch {
    throw new InvalidEnvironment([
      `${file}: can't be written, and Ponder writes it at each start; let it write to nowhere: ln -sf /dev/null ${file}`,
    ]);
  }
}
