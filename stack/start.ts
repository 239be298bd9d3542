import { parseArgs } from "node:util";
import { describeSources, loadEnvFiles } from "../config/env-files";
import { InvalidEnvironment } from "../config/environment";
import { CONFIGURATION_ERROR } from "../config/exit-codes";
import { startAll } from "./roles/all";
import { startApiRole } from "./roles/api";
import { startIndexerRole } from "./roles/indexer";
import { createSupervisor } from "./supervisor";

/** Runs everything, or one role: `node stack/run.js stack/start [--role indexer|api] [--dev]`. */
const { values: options } = parseArgs({ options: { role: { type: "string" }, dev: { type: "boolean" } } });
const sources = loadEnvFiles(".", process.env);
const supervisor = createSupervisor(options.role);

try {
  supervisor.log.done(describeSources(sources));
  if (options.role === "indexer") await startIndexerRole(supervisor);
  else if (options.role === "api") await startApiRole(supervisor);
  else await startAll(supervisor, options.dev === true);
} catch (error) {
  await (error instanceof InvalidEnvironment ? supervisor.fail(error, CONFIGURATION_ERROR) : supervisor.fail(error));
}
