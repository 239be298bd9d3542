import type { StoreDatabase } from "./open";
import { revision } from "./schema";

/** Reads the number of commits that changed records or lists of the store. */
export async function readRevision(db: StoreDatabase): Promise<string> {
  const [row] = await db.select({ number: revision.number }).from(revision);
  return String(row?.number);
}
