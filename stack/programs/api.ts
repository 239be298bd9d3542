import { serveGateway } from "../../api/serve";
import { type Environment, InvalidEnvironment, parseEnvironment } from "../../config/environment";
import { databaseReady } from "../index-builds";
import { checkedPoolMode } from "../roles/pool-mode";
import { requireFreePort } from "../roles/ports";
import { runRole } from "../roles/role";
import { followSettings, requireSplittable } from "../roles/settings";

/** The environment of this gateway. Throws if it can't run without the other parts. */
function parseRole(env: NodeJS.ProcessEnv): Environment {
  const environment = parseEnvironment(env);
  requireSplittable(environment);
  if (environment.apiWorkers > 1)
    throw new InvalidEnvironment([
      "API_WORKERS: is for npm start only; run npm run api once for each process, each with its own API_PORT",
    ]);
  return environment;
}

/**
 * `npm run api`: a gateway on the database of an indexer. It needs only its URL: other settings come from the indexer, unless
 * they are set here. When the indexer publishes other settings, new requests use them.
 */
await runRole(async (log) => {
  const { DATABASE_URL } = process.env;
  if (!DATABASE_URL) throw new InvalidEnvironment(["DATABASE_URL: is required for the role api"]);
  await databaseReady(DATABASE_URL, (error) => log.info(`${error.message}. Retrying for up to a minute`));
  const poolMode = await checkedPoolMode(process.env, DATABASE_URL);
  const settings = followSettings({ ...process.env, DATABASE_URL }, poolMode);
  const environment = parseRole(await settings.first(log.info));
  const { networkName, apiPort, apiUrl } = environment;
  await requireFreePort(apiPort, "API_PORT");
  const gateway = await serveGateway(environment);
  return async () => {
    log.info(`Serving ${networkName} on ${apiUrl}. Stop with Ctrl-C.`);
    await settings.watch(
      async (env) => {
        await gateway.replace(parseRole(env));
        log.info("The gateway uses the settings that the indexer has published");
      },
      (error) => log.error(`The settings of the indexer could not be used, will retry after the next change: ${error}`),
    );
  };
});
