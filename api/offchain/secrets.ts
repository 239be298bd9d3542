import { eq } from "drizzle-orm";
import type { StoreDatabase } from "./open";
import { secret } from "./tables";

/** Reads a secret of the store. */
export async function readSecret(db: StoreDatabase, name: typeof secret.$inferSelect.name): Promise<string> {
  const [row] = await db.select({ value: secret.value }).from(secret).where(eq(secret.name, name));
  if (!row)
    throw new Error(`The store has no secret ${name}; run INSERT INTO offchain.secret (name) VALUES ('${name}')`);
  return row.value;
}
