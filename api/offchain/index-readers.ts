import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { type Repeated, repeat } from "../../config/repeat";
import type { StoreDatabase } from "./open";
import { indexReader } from "./tables";

/** A row that was not renewed for this long belongs to a gateway that has ended. */
export const READER_LEASE_SECONDS = 15;

/** How often a gateway renews its row. */
const RENEW_MS = 3_000;

/** Records that a gateway process reads a build of the index. */
async function recordReader(db: StoreDatabase, reader: string, build: string): Promise<void> {
  const state = { build, renewedAt: sql`clock_timestamp()` };
  await db
    .insert(indexReader)
    .values({ reader, ...state })
    .onConflictDoUpdate({ target: indexReader.reader, set: state });
}

/** Removes the record of a gateway process that stops, and those of processes that have ended. */
async function removeReader(db: StoreDatabase, reader: string): Promise<void> {
  await db
    .delete(indexReader)
    .where(
      sql`${indexReader.reader} = ${reader} OR ${indexReader.renewedAt} < clock_timestamp() - interval '${sql.raw(String(READER_LEASE_SECONDS))} seconds'`,
    );
}

/** Records which build this process reads until it is stopped. */
export function reportReader(
  store: () => Promise<StoreDatabase>,
  build: () => string,
  onError: (error: unknown) => void,
): Pick<Repeated, "stop"> {
  const reader = randomUUID();
  const renewals = repeat({
    task: async () => recordReader(await store(), reader, build()),
    pauseMs: RENEW_MS,
    onError,
  });
  return {
    async stop() {
      await renewals.stop();
      // Without the store, the row expires.
      await store()
        .then((db) => removeReader(db, reader))
        .catch(onError);
    },
  };
}
