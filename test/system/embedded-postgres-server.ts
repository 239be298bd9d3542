import { startEmbeddedPostgres } from "../../stack/local/postgres/embedded";
import { ownStateFolder } from "../../stack/supervision/state-folder";

// The database part of `npm start`, for tests that run it as another user or kill it. Prints the database URL.
const [stateFolder = ""] = process.argv.slice(2);
try {
  await ownStateFolder(stateFolder);
  const { child, databaseUrl } = await startEmbeddedPostgres(stateFolder);
  process.on("SIGTERM", () => void child.stop().then(() => process.exit(0)));
  console.log(`${databaseUrl} ${child.pid}`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
