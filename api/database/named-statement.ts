import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import pg, { type Connection, type QueryConfig, type Submittable } from "pg";
import pgUtils from "pg/lib/utils.js";
import { asError } from "./as-error";

type Types = QueryConfig["types"];
type Field = { name: string; dataTypeID: number };

/** A statement's columns, and how their values are parsed with certain types. */
type Columns = { fields: readonly Field[]; types: Types; parsers: readonly ((text: string) => unknown)[] };

/** What pg's types do not show of a connection: the texts of its statements, by name. */
type StatementConnection = Connection & {
  parsedStatements: Record<string, string | undefined>;
  close: (statement: { type: "S"; name: string }) => void;
};

/** What a statement returns, of all that a result of pg has. */
export type StatementResult = { rows: unknown[]; rowCount: number | null };

type Callback = (error: Error | null, result?: StatementResult) => void;

/** The maximum number of statements of a connection that are not fixed. PostgreSQL keeps the plan of each. */
export const MAX_CHANGING_STATEMENTS = 100;

/** The names of query texts. Clients choose some texts by their filters, so their number is limited. */
const names = new LRUCache<string, string>({ max: 1_000 });

/** The name of the prepared statement of a query text. */
export function statementName(text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  const name = createHash("sha256").update(text).digest("base64url");
  names.set(text, name);
  return name;
}

/** The columns of a statement, once it was described. */
type Statement = { columns: Columns | undefined };

/** The statements of a connection by name. The least recently used of those that are not fixed are closed. */
class Statements {
  readonly #fixed = new Map<string, Statement>();
  readonly #changing: LRUCache<string, Statement>;

  constructor(connection: StatementConnection) {
    this.#changing = new LRUCache({
      max: MAX_CHANGING_STATEMENTS,
      dispose(_, name) {
        if (connection.parsedStatements[name] === undefined) return;
        delete connection.parsedStatements[name];
        connection.close({ type: "S", name });
      },
    });
  }

  get(name: string, isFixed: boolean): Statement {
    const statements = isFixed ? this.#fixed : this.#changing;
    let statement = statements.get(name);
    if (!statement) {
      statement = { columns: undefined };
      statements.set(name, statement);
    }
    return statement;
  }
}

const statementsByConnection = new WeakMap<Connection, Statements>();

function statementsOf(connection: StatementConnection): Statements {
  let statements = statementsByConnection.get(connection);
  if (!statements) {
    statements = new Statements(connection);
    statementsByConnection.set(connection, statements);
  }
  return statements;
}

const withTypes = (fields: readonly Field[], types: Types): Columns => ({
  fields,
  types,
  parsers: fields.map(({ dataTypeID }) => (types ?? pg.types).getTypeParser(dataTypeID, "text")),
});

/**
 * One run of a prepared statement. PostgreSQL describes its columns once per connection: they can't change, because it rejects
 * a statement whose result would have other types than before. The queries of pg have the columns described at every run, and
 * emit an event for each row, which takes up to a seventh of the time of a read.
 */
export class NamedStatement implements Submittable {
  readonly name: string;
  readonly text: string;
  /** pg replaces it, to end a query that takes too long. */
  callback: Callback;
  readonly #values: readonly unknown[];
  readonly #types: Types;
  readonly #isArrayMode: boolean;
  readonly #isFixed: boolean;
  readonly #result: StatementResult = { rows: [], rowCount: null };
  #statement: Statement | undefined;
  #columns: Columns | undefined;
  #error: Error | null = null;

  constructor(query: QueryConfig, values: readonly unknown[], callback: Callback) {
    this.#isFixed = Boolean(query.name);
    this.name = query.name || statementName(query.text);
    this.text = query.text;
    this.#types = query.types;
    this.#isArrayMode = "rowMode" in query && query.rowMode === "array";
    this.#values = values;
    this.callback = callback;
  }

  /** Sends the statement, or returns why it can't. */
  submit(connection: Connection): Error | null {
    const { name, text } = this;
    const { stream, parsedStatements } = connection as StatementConnection;
    // One write for all messages.
    stream.cork();
    try {
      const isParsed = parsedStatements[name] !== undefined;
      this.#statement = statementsOf(connection as StatementConnection).get(name, this.#isFixed);
      const known = isParsed ? this.#statement.columns : undefined;
      this.#columns = !known || known.types === this.#types ? known : withTypes(known.fields, this.#types);
      const values = this.#values.map((value) => pgUtils.prepareValue(value));
      if (!isParsed) connection.parse({ name, text, types: [] }, true);
      connection.bind({ statement: name, values }, true);
      if (!known) connection.describe({ type: "P", name: "" }, true);
      connection.execute(null, true);
      connection.sync();
    } catch (error) {
      return asError(error);
    } finally {
      stream.uncork();
    }
    return null;
  }

  handleRowDescription({ fields }: { fields: readonly Field[] }): void {
    this.#columns = withTypes(fields, this.#types);
    if (this.#statement) this.#statement.columns = this.#columns;
  }

  handleDataRow({ fields: texts }: { fields: readonly (string | null)[] }): void {
    if (this.#error) return;
    try {
      this.#result.rows.push(this.#rowOf(texts));
    } catch (error) {
      this.#error = asError(error);
    }
  }

  #rowOf(texts: readonly (string | null)[]): unknown {
    const { fields, parsers } = this.#columns ?? withTypes([], undefined);
    const values = texts.map((text, at) => (text === null ? null : parsers[at]?.(text)));
    return this.#isArrayMode ? values : Object.fromEntries(fields.map(({ name }, at) => [name, values[at]]));
  }

  handleCommandComplete({ text }: { text: string }): void {
    // Such as "SELECT 3" and "INSERT 0 1".
    this.#result.rowCount = Number(/\d+$/.exec(text)?.[0] ?? 0);
    // A statement without columns is not described again either.
    if (!this.#columns) this.handleRowDescription({ fields: [] });
  }

  handleReadyForQuery(): void {
    this.callback(this.#error, this.#result);
  }

  handleError(error: Error): void {
    this.callback(error);
  }

  /** The statement has no text but a comment. */
  handleEmptyQuery(): void {}

  /** All rows are sent at once. */
  handlePortalSuspended(): void {}
}
