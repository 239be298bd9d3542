import type pg from "pg";
import type { PoolConfig } from "pg";
import type { PoolMode } from "../../config/variables/database";
import { PreparedPool, STATEMENT_MS } from "./prepared-pool";
import { TransactionPool } from "./transaction-pool";

type Options = Pick<PoolConfig, "application_name" | "max"> & {
  databaseUrl: string;
  poolMode: PoolMode;
  /** PostgreSQL's settings of every query, by name. */
  settings: Readonly<Record<string, string | number>>;
  isReadOnly?: boolean;
};

const CONNECT_MS = 3_000;

/**
 * A read without an answer ends its connection, a moment after the server would have canceled it: without this, connections to
 * a machine that is gone would be used until TCP gives up, after many minutes.
 */
const READ_MS = STATEMENT_MS + 2_000;

/** Opens a pool whose queries run with these settings, in sessions of their own or behind a pooler in transaction mode. */
export function openPool({ databaseUrl, poolMode, settings, isReadOnly = false, ...config }: Options): pg.Pool {
  const common = {
    ...config,
    connectionString: databaseUrl,
    connectionTimeoutMillis: CONNECT_MS,
    ...(isReadOnly && { query_timeout: READ_MS }),
  };
  if (poolMode === "transaction")
    return new TransactionPool(common, { ...settings, ...(isReadOnly && { transaction_read_only: "on" }) });
  const ofSession = { ...settings, ...(isReadOnly && { default_transaction_read_only: "on" }) };
  const options = Object.entries(ofSession).map(([name, value]) => `-c ${name}=${value}`);
  return new PreparedPool({ ...common, options: options.join(" ") });
}
