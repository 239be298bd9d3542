import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseEnvironment, requireDatabaseUrl } from "../../config/environment";
import { buildName } from "../../config/index-build";
import { projectRoot } from "../../config/project-root";
import { databaseReady, manageBuilds } from "../index-builds";
import { PONDER, requireWritableTypes, setPonderVariables, startArguments } from "../roles/ponder";
import { requireSessions } from "../roles/pool-mode";
import { requireFreePort } from "../roles/ports";
import { runRole } from "../roles/role";
import { publishOwnSettings, requireSplittable } from "../roles/settings";

/** `npm run indexer`: publishes the settings for gateways on the same database, and then is `ponder start`. */
await runRole(async (log) => {
  const environment = parseEnvironment(process.env);
  requireSplittable(environment);
  const databaseUrl = requireDatabaseUrl(environment);
  const { networkName, ponderPort, ponderHost, databaseSchema } = environment;
  requireWritableTypes(projectRoot);
  await requireFreePort(ponderPort, "PONDER_PORT");
  await databaseReady(databaseUrl, (error) => log.info(`${error.message}. Retrying for up to a minute`));
  await requireSessions(environment, databaseUrl);
  await publishOwnSettings(databaseUrl, databaseSchema, process.env);
  const schema = await buildName(databaseSchema, environment.network());
  manageBuilds({
    databaseUrl,
    build: schema,
    onError: (error) => log.warn(`Can't drop earlier builds of the index, will retry: ${error}`),
  });
  log.info(`Indexing ${networkName}. Ponder's port is ${ponderPort}. Stop with Ctrl-C.`);
  const options = { root: projectRoot, schema, viewsSchema: databaseSchema, ponderPort, ponderHost };
  return () => {
    setPonderVariables(process.env, ponderPort);
    process.argv.splice(1, process.argv.length, "ponder", ...startArguments(options));
    return import(pathToFileURL(join(projectRoot, PONDER)).href);
  };
});
