import { join } from "node:path";
import { parseEnvironment, requireDatabaseUrl } from "../../config/environment";
import { databaseReady } from "../index-builds";
import { requireSessions } from "../pool-mode";
import { requireFreePort } from "../ports";
import { indexerProgress } from "../progress";
import { superviseIndexer } from "../supervise-indexer";
import type { Supervisor } from "../supervisor";
import { REORG_SENTENCE } from "../unrecoverable-reorg";
import { repairAfterReorg } from "./repair";
import { publishOwnSettings, requireSplittable } from "./settings";

/** Runs the indexer alone. It publishes its settings for gateways on the same database. */
export async function startIndexerRole(supervisor: Supervisor): Promise<void> {
  const { log } = supervisor;
  const environment = parseEnvironment(process.env);
  requireSplittable(environment);
  const databaseUrl = requireDatabaseUrl(environment);
  const { networkName, ponderPort, databaseSchema } = environment;
  await supervisor.own(join(environment.stateFolder, "indexer"));
  await requireFreePort(ponderPort, "PONDER_PORT");
  await databaseReady(databaseUrl, (error) => log.step(`${error.message}. Retrying for up to a minute`));
  await requireSessions(environment, databaseUrl);
  await publishOwnSettings(databaseUrl, databaseSchema, process.env);
  log.step("Starting the indexer");
  const supervision = await supervisor.supervision(environment, databaseUrl, process.env);
  const index = supervisor.run(() =>
    superviseIndexer({ ...supervision, onReorgBeyondFinality: () => void repair().catch(supervisor.fail) }),
  );
  const repair = () =>
    repairAfterReorg(supervisor, REORG_SENTENCE, environment, databaseUrl, {
      stop: async () => (await index.current()).stop(),
      restart: index.restart,
    });
  await index.current();
  log.done(`Indexing ${networkName}. Stop with Ctrl-C.`);
  supervisor.showBackfill(environment, indexerProgress(ponderPort));
}
