import { cp } from "node:fs/promises";
import { PGlite } from "@electric-sql/pglite";
import { indexFolder, storeFolder } from "../config/embedded";
import manifest from "../package.json" with { type: "json" };
import { cached, makeFolder } from "./cache";

/** An empty database as this version of PGlite makes it, which takes it seconds. */
const emptyDatabase = () =>
  makeFolder(cached(`pglite-${manifest.dependencies["@electric-sql/pglite"]}`), async (scratch) => {
    const database = await PGlite.create(scratch);
    await database.close();
  });

/** Makes the embedded databases of a state folder that are not there yet, empty; PGlite then opens them in no time. */
export async function makeEmbeddedDatabases(stateFolder: string): Promise<void> {
  // Where none can be kept, PGlite makes its databases itself, and says what is wrong if it can't.
  const empty = await emptyDatabase().catch(() => undefined);
  if (empty === undefined) return;
  for (const folder of [indexFolder(stateFolder), storeFolder(stateFolder)])
    await makeFolder(folder, (scratch) => cp(empty, scratch, { recursive: true }));
}
