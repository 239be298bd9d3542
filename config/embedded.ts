import { join } from "node:path";

/** Where the embedded databases are when no PostgreSQL is named: the index's, and the off-chain store's. */
export const indexFolder = (stateFolder: string) => join(stateFolder, "index");
export const storeFolder = (stateFolder: string) => join(stateFolder, "store");
