import pg, { type PoolConfig, type QueryConfig } from "pg";
import { PreparedClient } from "./prepared-client";
import { traceQuery } from "./traced-query";

/** A statement that runs longer is canceled: its request has timed out, and it would keep a connection from others. */
export const STATEMENT_MS = 15_000;

/** A pool of sessions. PostgreSQL parses a named statement once per connection and can keep its plan. */
export class PreparedPool extends pg.Pool {
  constructor(config: PoolConfig) {
    super({ ...config, Client: PreparedClient });
  }

  // pg has many overloads, and drizzle uses only this one.
  override query = ((query: QueryConfig | string, parameters?: unknown[]) =>
    traceQuery(query, () => super.query(query, parameters))) as pg.Pool["query"];
}
