import { withClient } from "../../stack/index-builds";
import type { TestDatabase } from "../support/database";

/** The tables that a backup contains. */
export const backedUpTables = [
  ...["attestation_schema", "bid", "chain", "document", "event_record", "intent_metadata"],
  ...["payment", "resolved_metadata", "revision", "secret", "stored_bytes"],
];

/** Runs statements on a new connection, and returns the rows of the last one. */
export const run = ({ url }: Pick<TestDatabase, "url">, ...statements: string[]) =>
  withClient(url, async (client) => {
    let rows: Record<string, unknown>[] = [];
    for (const statement of statements) ({ rows } = await client.query(statement));
    return rows;
  });

/** All rows of the tables of a backup, as text. Except the revision, which a restore increases. */
export const contentOf = async (database: Pick<TestDatabase, "url">) => {
  const content: Record<string, unknown> = {};
  for (const table of backedUpTables)
    if (table !== "revision")
      content[table] = (await run(database, `SELECT stored::text FROM offchain.${table} AS stored ORDER BY 1`)).map(
        ({ stored }) => stored,
      );
  return content;
};
