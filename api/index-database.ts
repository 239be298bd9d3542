import { drizzle } from "drizzle-orm/node-postgres";
import pg from "pg";
import type { IndexDatabase } from "./services";

export type OpenIndex = { db: IndexDatabase; close: () => Promise<void> };

type Options = {
  databaseUrl: string;
  /** The PostgreSQL schema that holds the index, or the views that name the build to serve. */
  schema: string;
  /** Called when a connection breaks while it is idle. A query that fails rejects by itself. */
  onIdleError: (error: Error) => void;
};

const POOL_SIZE = 20;
const CONNECT_MS = 3_000;

/** Opens the index for reading. Connections are made when they are needed, so the database may start later. */
export function openIndex({ databaseUrl, schema, onIdleError }: Options): OpenIndex {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    options: `-c search_path=${schema} -c default_transaction_read_only=on`,
    application_name: "intentry_gateway",
    max: POOL_SIZE,
    connectionTimeoutMillis: CONNECT_MS,
  });
  pool.on("error", onIdleError);
  return { db: drizzle(pool, { casing: "snake_case" }), close: () => pool.end() };
}
