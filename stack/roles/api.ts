import { join } from "node:path";
import { InvalidEnvironment, parseEnvironment } from "../../config/environment";
import { buildName } from "../../config/index-build";
import { databaseReady } from "../index-builds";
import { checkedPoolMode } from "../pool-mode";
import { requireFreePort } from "../ports";
import { superviseGateways } from "../supervise-gateways";
import type { Supervisor } from "../supervisor";
import { followSettings, requireSplittable } from "./settings";

/**
 * Runs gateways alone, on the database of an indexer. They need only its URL: other settings come from the indexer, unless
 * they are set here. When the indexer publishes other settings, the gateways are replaced one after the other.
 */
export async function startApiRole(supervisor: Supervisor): Promise<void> {
  const { log } = supervisor;
  const { DATABASE_URL } = process.env;
  if (!DATABASE_URL) throw new InvalidEnvironment(["DATABASE_URL: is required for the role api"]);
  await databaseReady(DATABASE_URL, (error) => log.step(`${error.message}. Retrying for up to a minute`));
  const poolMode = await checkedPoolMode(process.env, DATABASE_URL);
  const settings = followSettings({ ...process.env, DATABASE_URL }, poolMode);
  const optionsOf = async (env: NodeJS.ProcessEnv) => {
    const environment = parseEnvironment(env);
    requireSplittable(environment);
    const build = await buildName(environment.databaseSchema, environment.network());
    return { ...(await supervisor.supervision(environment, DATABASE_URL, env)), build };
  };
  let options = await optionsOf(await settings.first(log.step));
  const { networkName, apiPort, apiUrl, stateFolder } = options.environment;
  await supervisor.own(join(stateFolder, `api-${apiPort}`));
  await requireFreePort(apiPort, "API_PORT");
  log.step("Starting the gateway");
  const gateways = supervisor.run(() => superviseGateways(() => options));
  const stopWatching = settings.watch(
    async (env) => {
      options = await optionsOf(env);
      await (await gateways.current()).replace();
      log.done("The gateway uses the settings that the indexer has published");
    },
    (error) =>
      supervisor.printError(
        `The settings of the indexer could not be used, will retry after the next change: ${error}`,
      ),
  );
  supervisor.add({ stop: async () => stopWatching() });
  await Promise.all((await gateways.current()).gateways.map((gateway) => gateway.current().listening));
  log.done(`Serving ${networkName} on ${apiUrl}. Stop with Ctrl-C.`);
}
