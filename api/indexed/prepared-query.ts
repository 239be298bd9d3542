import { createHash } from "node:crypto";
import { type Placeholder, placeholder } from "drizzle-orm";
import type { PgDatabase, PgQueryResultHKT } from "drizzle-orm/pg-core";
import { SHAPE } from "./prepared-client";

/** A database to read from. */
type Readable = Pick<PgDatabase<PgQueryResultHKT>, "select" | "execute" | "with" | "$with">;

/** A Drizzle query that can be prepared, typed by its rows. */
export type Query<Row> = {
  prepare: (name: string) => { execute: RunQuery<Row> };
  toSQL: () => { sql: string };
};

/** The placeholders of a query's values, by name. */
export type Placeholders<Values> = { readonly [Name in keyof Values]: Placeholder<Name & string, Values[Name]> };

/** Runs a query with values for its placeholders. */
export type RunQuery<Row> = (values?: Record<string, unknown>) => Promise<Row[]>;

/** A placeholder for every name. */
const placeholders = new Proxy({}, { get: (_, name) => placeholder(String(name)) });

/** Prepares a query. The statement's name is a digest of its text, so that equal queries share a statement. */
function prepareAs<Row>(query: Query<Row>, prefix: string): RunQuery<Row> {
  const digest = createHash("sha256").update(query.toSQL().sql).digest("base64url");
  const prepared = query.prepare(`${prefix}${digest}`);
  return (values) => prepared.execute(values);
}

/** Prepares a query that connections keep prepared. */
export const prepareQuery = <Row>(query: Query<Row>): RunQuery<Row> => prepareAs(query, "");

/** Prepares a query whose text depends on a client's filters. Connections keep a limited number of such statements. */
export const prepareShape = <Row>(query: Query<Row>): RunQuery<Row> => prepareAs(query, SHAPE);

/**
 * Defines a query with values. It is prepared once per database: Drizzle takes longer to build most queries than PostgreSQL
 * to run them.
 *
 * @example
 * const findAgent = preparedQuery((db, { id }: Placeholders<{ id: bigint }>) => db.select().from(agent).where(eq(agent.id, id)));
 * const [row] = await findAgent(db, { id: 1n });
 */
export function preparedQuery<Values extends Record<string, unknown>, Row, Database extends object = Readable>(
  build: (db: Database, values: Placeholders<Values>) => Query<Row>,
): (db: Database, values: Values) => Promise<Row[]> {
  const prepared = new WeakMap<Database, RunQuery<Row>>();
  return (db, values) => {
    let run = prepared.get(db);
    if (!run) {
      run = prepareQuery(build(db, placeholders as never));
      prepared.set(db, run);
    }
    return run(values);
  };
}
