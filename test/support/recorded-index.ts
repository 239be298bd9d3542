import { drizzle } from "drizzle-orm/node-postgres";
import pg from "pg";
import type { IndexDatabase } from "../../api/index/database";

/** A query as it was sent. */
export type RecordedQuery = { text: string; parameters: unknown[] };

export type RecordedIndex = {
  db: IndexDatabase;
  pool: pg.Pool;
  /** What was sent through `db` while `action` ran. */
  queriesOf: (action: () => Promise<unknown>) => Promise<RecordedQuery[]>;
  close: () => Promise<void>;
};

/** Opens an index that is in a schema of a PostgreSQL database, as the gateway's own database is, and writes down its queries. */
export function recordedIndex(databaseUrl: string, schema: string): RecordedIndex {
  const pool = new pg.Pool({ connectionString: databaseUrl, options: `-c search_path=${schema}` });
  // A server that is stopped says so on connections that nobody uses; a query would fail by itself.
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
