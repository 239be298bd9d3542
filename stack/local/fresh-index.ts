import pg from "pg";
import { LOCAL_CHAIN_ID } from "../../config/networks";
import { dropIndex, requireChainOfAll } from "../index-builds";
import { forgetChain } from "../reindex";

/** Deletes the index, the sync cache, the recorded genesis and the tokens of the previous local chain. They are invalid for a new one. */
export async function clearLocalIndex(databaseUrl: string, schema: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    // DATABASE_URL may point to a production database.
    await requireChainOfAll(client, schema, LOCAL_CHAIN_ID);
    await dropIndex(client, schema);
    await clearSyncCache(client);
    await forgetChain(client, LOCAL_CHAIN_ID);
  } finally {
    await client.end();
  }
}

/** Ponder caches raw logs and blocks by chain id in the schema ponder_sync, shared by all Ponder apps of a database. */
async function clearSyncCache(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ table_name: string }>(
    "SELECT table_name FROM information_schema.columns WHERE table_schema = 'ponder_sync' AND column_name = 'chain_id'",
  );
  for (const { table_name } of rows)
    await client.query(`DELETE FROM ponder_sync.${pg.escapeIdentifier(table_name)} WHERE chain_id = $1`, [
      LOCAL_CHAIN_ID,
    ]);
}
