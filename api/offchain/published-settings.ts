import { eq, sql } from "drizzle-orm";
import { z } from "zod";
import type { StoreDatabase } from "./open";
import { publishedSettings } from "./tables";

/** Environment variables by name. */
export type PublishedSettings = Record<string, string>;

const Settings = z.record(z.string(), z.string());

/** Publishes the settings of an index for gateways on other machines. */
export async function publishSettings(
  db: StoreDatabase,
  databaseSchema: string,
  settings: PublishedSettings,
): Promise<void> {
  const variables = JSON.stringify(settings);
  await db
    .insert(publishedSettings)
    .values({ databaseSchema, variables })
    .onConflictDoUpdate({ target: publishedSettings.databaseSchema, set: { variables, updatedAt: sql`now()` } });
}

/** Reads the published settings of an index. Undefined if no indexer has published any. */
export async function readSettings(db: StoreDatabase, databaseSchema: string): Promise<PublishedSettings | undefined> {
  const [row] = await db
    .select({ variables: publishedSettings.variables })
    .from(publishedSettings)
    .where(eq(publishedSettings.databaseSchema, databaseSchema));
  return row && Settings.parse(JSON.parse(row.variables));
}
