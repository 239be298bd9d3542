import pg, { type ClientConfig, type PoolClient, type PoolConfig, type QueryConfig } from "pg";
import { asError } from "./as-error";
import { TracedClient } from "./traced-query";

/** A connection whose transactions begin with `settings`. */
const clientWith = (settings: string) =>
  class TransactionClient extends TracedClient {
    constructor(config?: ClientConfig) {
      super(config);
      const send = this.query;
      // pg has many overloads.
      this.query = ((query: QueryConfig | string, ...rest: unknown[]) => {
        const text = typeof query === "string" ? query : query.text;
        if (/^begin\b/i.test(text ?? "")) return Reflect.apply(send, this, [`${text}; ${settings}`, ...rest]);
        const isNamed = typeof query === "object" && query.name !== undefined;
        return Reflect.apply(send, this, [isNamed ? { ...query, name: undefined } : query, ...rest]);
      }) as pg.Client["query"];
    }
  };

/** Ends a transaction after an error. Returns the reason if the connection can't be used any more. */
const rollBack = (client: PoolClient): Promise<Error | undefined> =>
  client.query("rollback").then(() => undefined, asError);

/**
 * A pool for a pooler in transaction mode, such as PgBouncer: each transaction may run on another connection of the server.
 * So nothing is kept in a connection. There are no named statements and no parameters of the connection, and every query is a
 * transaction that begins with its settings, in three round trips.
 */
export class TransactionPool extends pg.Pool {
  constructor(config: PoolConfig, settings: Readonly<Record<string, string | number>>) {
    const statements = Object.entries(settings).map(
      ([name, value]) => `SET LOCAL ${name} = ${pg.escapeLiteral(String(value))}`,
    );
    super({ ...config, Client: clientWith(statements.join("; ")) });
  }

  // pg has many overloads, and drizzle uses only this one.
  override query = (async (query: QueryConfig | string, parameters?: unknown[]) => {
    const client = await this.connect();
    let broken: Error | undefined;
    try {
      await client.query("begin");
      const result = await client.query(query, parameters);
      await client.query("commit");
      return result;
    } catch (error) {
      broken = await rollBack(client);
      throw error;
    } finally {
      client.release(broken);
    }
  }) as pg.Pool["query"];
}
