import { parseArgs } from "node:util";
import { describeSources, loadEnvFiles } from "../../config/env-files";
import { InvalidEnvironment } from "../../config/environment";
import { CONFIGURATION_ERROR } from "../../config/exit-codes";
import { startAll } from "../supervision/start-all";
import { createSupervisor } from "../supervision/supervisor";

/** `npm start`, and with `--dev` `npm run dev`. */
const { values: options } = parseArgs({ options: { dev: { type: "boolean", default: false } } });
const sources = loadEnvFiles(".", process.env);
const supervisor = createSupervisor();

try {
  supervisor.log.done(describeSources(sources));
  await startAll(supervisor, options.dev);
} catch (error) {
  await (error instanceof InvalidEnvironment ? supervisor.fail(error, CONFIGURATION_ERROR) : supervisor.fail(error));
}
