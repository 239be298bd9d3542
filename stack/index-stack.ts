import { resolve } from "node:path";
import type { Environment } from "../config/environment";
import { buildSchema, developmentSchema } from "../config/index-build";
import type { ChildEnded } from "./child";
import { type Gateway, startGateway } from "./gateway";
import { manageBuilds, releaseLock } from "./index-builds";
import { type PonderApp, startIndexer } from "./indexer";
import { type KeptRunning, keepRunning } from "./keep-running";
import { watchSources } from "./watch-sources";

const projectRoot = resolve(import.meta.dirname, "..");

/** Ponder's exit code for an error that a restart does not mend, such as a wrong configuration. */
const USER_ERROR = 1;

type Options = PonderApp & {
  environment: Environment;
  databaseUrl: string;
  /** The environment of both processes. */
  env: NodeJS.ProcessEnv;
  /** Called with each line of the indexer's and the gateway's log. */
  onLine: (line: string) => void;
  /** Called with what an operator should know. */
  onNotice: (sentence: string) => void;
  /** Called once when a process has ended and is not started again. */
  onGivenUp: (error: Error) => void;
};

export type IndexStack = {
  gateway: KeptRunning<Gateway>;
  indexer: KeptRunning<ReturnType<typeof startIndexer>>;
  /** Stops the gateway, once it has answered its requests, and then the indexer. */
  stop: () => Promise<void>;
};

/**
 * Runs an indexer and a gateway on one database, and starts each of them again when it ends unexpectedly. With `dev`, an
 * edit of the sources is served without a restart of the stack.
 */
export async function startIndexStack({
  environment,
  databaseUrl,
  command,
  root = projectRoot,
  env,
  onLine,
  onNotice,
  onGivenUp,
}: Options): Promise<IndexStack> {
  const { apiPort, ponderPort, databaseSchema } = environment;
  const isDev = command === "dev";
  const schema = isDev
    ? developmentSchema(databaseSchema)
    : await buildSchema(databaseSchema, environment.network(), root);
  const builds = await manageBuilds({
    databaseUrl,
    databaseSchema,
    build: schema,
    onError: (error) => onNotice(`Earlier builds of the index could not be dropped: ${error}`),
  });
  const shared = {
    ...env,
    DATABASE_URL: databaseUrl,
    DATABASE_SCHEMA: databaseSchema,
    INDEX_SCHEMA: schema,
    API_PORT: String(apiPort),
  };
  const onRestart = ({ message }: ChildEnded, delayMs: number) =>
    onNotice(`${message}\nIt is started again in ${delayMs / 1000} s.`);

  let isFirst = true;
  const indexer = await keepRunning({
    async start() {
      // Its predecessor, which this process started, has ended; it may not have released its lock.
      if (!isFirst) await releaseLock(databaseUrl, schema);
      isFirst = false;
      const viewsSchema = isDev ? undefined : databaseSchema;
      return startIndexer({ command, root, ponderPort, schema, viewsSchema, env: shared, onLine });
    },
    onRestart,
    onGivenUp,
    isFinal: (code) => code === USER_ERROR,
  });
  const gateway = await keepRunning({
    start: () => startGateway({ root, env: shared, onLine }),
    onRestart,
    onGivenUp,
    isFinal: (code) => code === USER_ERROR,
  });
  const stopWatching = isDev
    ? watchSources(root, async () => {
        await gateway
          .replace((next) => next.listening)
          .catch((error: Error) => {
            onNotice(`${error.message}. The last version that worked is still served.`);
          });
      })
    : () => {};
  return {
    gateway,
    indexer,
    async stop() {
      stopWatching();
      await gateway.stop();
      await indexer.stop();
      await builds.stop();
    },
  };
}
