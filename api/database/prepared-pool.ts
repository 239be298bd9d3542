import pg, { type PoolConfig, type QueryConfig } from "pg";
import { NamedStatement, type StatementResult } from "./named-statement";
import { TracedClient, traceQuery } from "./traced-query";

/** A statement that runs longer is canceled: its request has timed out, and it would keep a connection from others. */
export const STATEMENT_MS = 15_000;

/**
 * A pool whose queries are prepared statements, named by their text: PostgreSQL parses each once per connection and can keep
 * its plan. Queries with a name are fixed, and stay prepared. Clients choose the texts of others by their filters, so each
 * connection keeps a limited number of them.
 */
export class PreparedPool extends pg.Pool {
  constructor(config: PoolConfig) {
    super({ ...config, Client: TracedClient });
  }

  // pg has many overloads, and drizzle uses only this one.
  override query = ((query: QueryConfig | string, parameters?: unknown[]) =>
    traceQuery(query, () => {
      if (typeof query === "string") return super.query(query, parameters);
      return this.#run(query, parameters);
    })) as pg.Pool["query"];

  #run(query: QueryConfig, values: readonly unknown[] = []): Promise<StatementResult> {
    return new Promise((resolve, reject) => {
      this.connect((failure, client, release) => {
        if (failure || !client) return reject(failure);
        const onResult = (error: Error | null, result?: StatementResult) => {
          // After an error the connection is not used again, as after those of pg's own queries.
          release(error ?? undefined);
          if (error) reject(error);
          else if (result) resolve(result);
        };
        client.query(new NamedStatement(query, values, onResult));
      });
    });
  }
}
