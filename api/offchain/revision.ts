import { preparedQuery } from "../indexed/prepared-query";
import type { StoreDatabase } from "./open";
import { revision } from "./tables";

const selectRevision = preparedQuery((db: StoreDatabase) => db.select({ number: revision.number }).from(revision));

/** Reads the number of commits that changed records or lists of the store. */
export async function readRevision(db: StoreDatabase): Promise<string> {
  const [row] = await selectRevision(db, {});
  return String(row?.number ?? "");
}
