import { drizzle } from "drizzle-orm/node-postgres";
import type { PgDatabase, PgQueryResultHKT } from "drizzle-orm/pg-core";
import type { PoolMode } from "../../config/variables/database";
import { openPool } from "../indexed/open-pool";
import { STATEMENT_MS } from "../indexed/prepared-pool";
import { watchPool } from "../telemetry/scrape";
import { migrateStore } from "./migrate";

/** The off-chain database. */
export type StoreDatabase = PgDatabase<PgQueryResultHKT>;

export type Store = { db: StoreDatabase; close: () => Promise<void> };

type Options = {
  databaseUrl: string;
  /** Default: session. */
  poolMode?: PoolMode;
  maxConnections?: number;
  /** Called when an idle connection fails. */
  onIdleError: (error: Error) => void;
};

/** The maximum number of connections of one gateway process to the store. */
export const STORE_CONNECTIONS = 10;

/** A statement that waits longer for a lock fails. */
const LOCK_MS = 5_000;

/** Connects to the off-chain store without migrations. Its tables may not exist yet. */
export function connectStore({
  databaseUrl,
  poolMode = "session",
  maxConnections = STORE_CONNECTIONS,
  onIdleError,
}: Options): Store {
  const pool = openPool({
    databaseUrl,
    poolMode,
    max: maxConnections,
    // Acknowledged writes must be durable, whatever the server's default is.
    settings: { synchronous_commit: "on", lock_timeout: LOCK_MS, statement_timeout: STATEMENT_MS },
  });
  pool.on("error", onIdleError);
  const unwatch = watchPool("store", pool);
  return {
    db: drizzle(pool, { casing: "snake_case" }),
    close: () => {
      unwatch();
      return pool.end();
    },
  };
}

/** Runs pending migrations and opens the off-chain store. */
export async function openStore(options: Options): Promise<Store> {
  const { databaseUrl, poolMode = "session" } = options;
  await migrateStore({ databaseUrl, poolMode });
  return connectStore(options);
}
