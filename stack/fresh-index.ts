import pg from "pg";
import { LOCAL_CHAIN_ID } from "../config/networks";
import { dropIndex } from "./index-builds";
import { forgetGenesis } from "./reindex";

/** What Ponder keeps of a chain between runs belongs to that chain alone; a new local chain must not meet the old one's. */
export async function clearLocalIndex(databaseUrl: string, schema: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await requireLocalSchema(client, schema);
    await dropIndex(client, schema);
    await clearSyncCache(client);
    await forgetGenesis(client, LOCAL_CHAIN_ID);
  } finally {
    await client.end();
  }
}

/** Refuses to drop an index that is of another chain: DATABASE_URL may name a database that matters. */
async function requireLocalSchema(client: pg.Client, schema: string): Promise<void> {
  const table = `${pg.escapeIdentifier(schema)}._ponder_checkpoint`;
  const { rows } = await client.query("SELECT to_regclass($1) AS found", [table]);
  if (!rows[0]?.found) return;
  const others = await client.query(`SELECT 1 FROM ${table} WHERE chain_id <> $1`, [LOCAL_CHAIN_ID]);
  if (others.rowCount)
    throw new Error(
      `Schema ${schema} of DATABASE_URL holds the index of another chain, and starting a local chain would drop it. Set DATABASE_SCHEMA to another name.`,
    );
}

/** Ponder caches raw logs and blocks by chain id, for all its apps of a database, in the schema ponder_sync. */
async function clearSyncCache(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ table_name: string }>(
    "SELECT table_name FROM information_schema.columns WHERE table_schema = 'ponder_sync' AND column_name = 'chain_id'",
  );
  for (const { table_name } of rows)
    await client.query(`DELETE FROM ponder_sync.${pg.escapeIdentifier(table_name)} WHERE chain_id = $1`, [
      LOCAL_CHAIN_ID,
    ]);
}
