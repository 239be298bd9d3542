import { drizzle } from "drizzle-orm/node-postgres";
import pg from "pg";
import type { IndexDatabase } from "../../api/indexed/database";

export type RecordedQuery = { text: string; parameters: unknown[] };

export type RecordedIndex = {
  db: IndexDatabase;
  pool: pg.Pool;
  /** The queries that were sent through `db` while `action` ran. */
  queriesOf: (action: () => Promise<unknown>) => Promise<RecordedQuery[]>;
  close: () => Promise<void>;
};

/** Opens an index like the gateway does, and records the queries. */
export function recordedIndex(databaseUrl: string, schema: string): RecordedIndex {
  const pool = new pg.Pool({ connectionString: databaseUrl, options: `-c search_path=${schema}` });
  // A stopping server closes idle connections with an error. A running query rejects on its own.
  pool.on("error", () => {});
  let recorded: RecordedQuery[] = [];
  const logQuery = (text: string, parameters: unknown[]) => {
    recorded.push({ text, parameters });
  };
  return {
    db: drizzle(pool, { casing: "snake_case", logger: { logQuery } }),
    pool,
    async queriesOf(action) {
      recorded = [];
      await action();
      return recorded;
    },
    close: () => pool.end(),
  };
}
