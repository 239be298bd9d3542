import { resolve } from "node:path";
import type { Environment } from "../../config/environment";
import type { Child } from "./child";

/** The options of supervised processes. */
export type Supervision = {
  environment: Environment;
  databaseUrl: string;
  /** The environment of all processes. */
  env: NodeJS.ProcessEnv;
  /** The checkout to run. Default: this one. */
  root?: string;
  /** Whether a process that ends because of its source code is restarted after the next edit. */
  watch?: boolean;
  /** Called with each started process. */
  onStarted?: (child: Child) => void;
  /** Called with each line of a process's log. */
  onLine: (line: string) => void;
  /** Called with messages for the operator. */
  onNotice: (sentence: string) => void;
  /** Called when a process has ended and will not be restarted. */
  onGivenUp: (error: Error) => void;
};

export const restartNotice = ({ message }: Error, delayMs: number): string =>
  `${message}\nRestarting in ${delayMs / 1000} s.`;

/** How processes are restarted. */
export const restartPolicy = ({ watch, onNotice, onGivenUp }: Supervision) => ({
  onRestart: (error: Error, delayMs: number) => onNotice(restartNotice(error, delayMs)),
  onGivenUp: watch ? (error: Error) => onNotice(`${error.message}\nRestarting after the next edit.`) : onGivenUp,
});

/** The variables of a process that uses the build of an index. */
export const variablesOf = ({ env, environment, databaseUrl }: Supervision, build: string): NodeJS.ProcessEnv => ({
  ...env,
  DATABASE_URL: databaseUrl,
  DATABASE_SCHEMA: environment.databaseSchema,
  INDEX_SCHEMA: build,
  API_PORT: String(environment.apiPort),
  // These processes run in the folder of the checkout, where a relative path would be another one.
  INTENTRY_DIR: resolve(environment.stateFolder),
});
