import pg, { type Connection, type QueryConfig, type Submittable } from "pg";
import pgUtils from "pg/lib/utils.js";
import { asError } from "./as-error";

type Types = QueryConfig["types"];
type Field = { name: string; dataTypeID: number };

/** A statement's columns, and how their values are parsed with certain types. */
type Columns = { fields: readonly Field[]; types: Types; parsers: readonly ((text: string) => unknown)[] };

/** What pg's types do not show of a connection: the texts of its statements, by name. */
type StatementConnection = Connection & { parsedStatements: Readonly<Record<string, string | undefined>> };

/** What a statement returns, of all that a result of pg has. */
export type StatementResult = { rows: unknown[]; rowCount: number | null };

type Callback = (error: Error | null, result?: StatementResult) => void;

/** The columns of each connection's statements, by name. */
const columnsByConnection = new WeakMap<Connection, Map<string, Columns>>();

function columnsOf(connection: Connection): Map<string, Columns> {
  let columns = columnsByConnection.get(connection);
  if (!columns) {
    columns = new Map();
    columnsByConnection.set(connection, columns);
  }
  return columns;
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
  readonly #result: StatementResult = { rows: [], rowCount: null };
  #known: Map<string, Columns> | undefined;
  #columns: Columns | undefined;
  #error: Error | null = null;

  constructor(name: string, query: QueryConfig, values: readonly unknown[], callback: Callback) {
    this.name = name;
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
    const isParsed = parsedStatements[name] !== undefined;
    this.#known = columnsOf(connection);
    const known = isParsed ? this.#known.get(name) : undefined;
    this.#columns = !known || known.types === this.#types ? known : withTypes(known.fields, this.#types);
    // One write for all messages.
    stream.cork();
    try {
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
    this.#known?.set(this.name, this.#columns);
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
