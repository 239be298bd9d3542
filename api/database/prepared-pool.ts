import { createHash } from "node:crypto";
import pg, { type PoolConfig, type QueryConfig } from "pg";
import { NamedStatement, type StatementResult } from "./named-statement";
import { TracedClient, traceQuery } from "./traced-query";

/** The maximum number of named statements. Every connection of the server keeps the plans of those that it has run. */
const MAX_STATEMENTS = 200;

/** A statement that runs longer is canceled: its request has timed out, and it would keep a connection from others. */
export const STATEMENT_MS = 15_000;

const names = new Map<string, string>();

/** The name of a query text; undefined beyond the limit. */
function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= MAX_STATEMENTS) return known;
  const name = createHash("sha256").update(text).digest("base64url");
  names.set(text, name);
  return name;
}

/**
 * A pool whose queries are prepared statements, named by their text: PostgreSQL parses each once per connection and can keep
 * its plan.
 */
export class PreparedPool extends pg.Pool {
  constructor(config: PoolConfig) {
    super({ ...config, Client: TracedClient });
  }

  // pg has many overloads, and drizzle uses only this one.
  override query = ((query: QueryConfig | string, parameters?: unknown[]) =>
    traceQuery(query, () => {
      const name = typeof query === "object" ? nameOf(query.text) : undefined;
      if (typeof query === "string" || name === undefined) return super.query(query, parameters);
      return this.#run(name, query, parameters);
    })) as pg.Pool["query"];

  #run(name: string, query: QueryConfig, values: readonly unknown[] = []): Promise<StatementResult> {
    return new Promise((resolve, reject) => {
      this.connect((failure, client, release) => {
        if (failure || !client) return reject(failure);
        const onResult = (error: Error | null, result?: StatementResult) => {
          // After an error the connection is not used again, as after those of pg's own queries.
          release(error ?? undefined);
          if (error) reject(error);
          else if (result) resolve(result);
        };
        client.query(new NamedStatement(name, query, values, onResult));
      });
    });
  }
}
