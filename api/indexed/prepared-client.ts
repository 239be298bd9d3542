import { LRUCache } from "lru-cache";
import type pg from "pg";
import type { ClientConfig, Connection, QueryConfig } from "pg";
import { TracedClient } from "./traced-query";

/** Begins the names of statements whose texts clients choose by their filters. */
export const SHAPE = "shape:";

/** The maximum number of such statements of a connection. PostgreSQL keeps the plan of each. */
export const MAX_SHAPES = 100;

/** The part of pg that keeps and closes the statements of a connection. Its types lack it. */
type StatementConnection = Connection & {
  parsedStatements: Record<string, string | undefined>;
  close: (statement: { type: "S"; name: string }) => void;
};

/** A connection that closes the least recently used statements of {@link SHAPE}. Other named statements stay prepared. */
export class PreparedClient extends TracedClient {
  readonly #shapes: LRUCache<string, true>;

  constructor(config?: ClientConfig) {
    super(config);
    const connection = (this as unknown as { connection: StatementConnection }).connection;
    this.#shapes = new LRUCache({
      max: MAX_SHAPES,
      dispose(_, name, reason) {
        if (reason !== "evict") return;
        delete connection.parsedStatements[name];
        connection.close({ type: "S", name });
      },
    });
    const send = this.query;
    // pg has many overloads.
    this.query = ((query: QueryConfig | string, ...rest: unknown[]) => {
      if (typeof query === "object" && query.name?.startsWith(SHAPE)) this.#shapes.set(query.name, true);
      return Reflect.apply(send, this, [query, ...rest]);
    }) as pg.Client["query"];
  }
}
