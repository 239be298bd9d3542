import { databaseReady } from "./index-builds";
import { startEmbeddedPostgres } from "./postgres/embedded";
import { runningDatabaseUrl } from "./postgres/running";
import { ownStateFolder } from "./state-folder";

type Settings = { stateFolder: string; databaseUrl: string | undefined };

/**
 * Runs an action on the database of DATABASE_URL, or on the embedded one, which is started for its duration. Throws if a
 * stack runs the embedded one, unless the action may run `besides` it.
 */
export async function withDatabase<Value>(
  { stateFolder, databaseUrl }: Settings,
  act: (url: string) => Promise<Value>,
  { besides = false } = {},
): Promise<Value> {
  if (databaseUrl !== undefined) {
    await databaseReady(databaseUrl, ({ message }) => console.error(message));
    return act(databaseUrl);
  }
  const running = besides ? await runningDatabaseUrl(stateFolder) : undefined;
  if (running !== undefined) return act(running);
  await ownStateFolder(stateFolder);
  const { child, databaseUrl: url } = await startEmbeddedPostgres(stateFolder);
  try {
    return await act(url);
  } finally {
    await child.stop();
  }
}
