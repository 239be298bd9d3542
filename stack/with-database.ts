import { databaseReady } from "./index-builds";
import { startEmbeddedPostgres } from "./local/postgres/embedded";
import { ownStateFolder } from "./supervision/state-folder";

type Settings = { stateFolder: string; databaseUrl: string | undefined };

/**
 * Runs an action on the database of DATABASE_URL, or on the embedded one, which is started for its duration. Throws if a
 * stack runs the embedded one.
 */
export async function withDatabase<Value>(
  { stateFolder, databaseUrl }: Settings,
  act: (url: string) => Promise<Value>,
): Promise<Value> {
  if (databaseUrl !== undefined) {
    await databaseReady(databaseUrl, ({ message }) => console.error(message));
    return act(databaseUrl);
  }
  await ownStateFolder(stateFolder);
  const { child, databaseUrl: url } = await startEmbeddedPostgres(stateFolder);
  try {
    return await act(url);
  } finally {
    await child.stop();
  }
}
