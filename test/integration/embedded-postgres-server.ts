import { startEmbeddedPostgres } from "../../stack/postgres/embedded";
import { ownStateFolder } from "../../stack/state-folder";

// The part of `npm start` that has to do with the database, to be run as any user and killed. It prints the URL.
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
