import { Column, getTableName, is, type Placeholder, placeholder, type Table } from "drizzle-orm";
import type { PgDatabase, PgQueryResultHKT } from "drizzle-orm/pg-core";
import { statementName } from "./named-statement";

/** A database to read from. */
type Readable = Pick<PgDatabase<PgQueryResultHKT>, "select" | "execute" | "with" | "$with">;

/** A Drizzle query, typed by its rows. */
export type Query<Row> = PromiseLike<Row[]>;

/** A row with its large whole numbers as PostgreSQL sends them and responses contain them: as decimal text. */
export type TextRow<Row> = Row extends bigint
  ? string
  : Row extends Date | Uint8Array | readonly unknown[]
    ? Row
    : Row extends object
      ? { [Name in keyof Row]: TextRow<Row[Name]> }
      : Row;

/** The placeholders of a query's values, by name. */
export type Placeholders<Values> = { readonly [Name in keyof Values]: Placeholder<Name & string, Values[Name]> };

/** Runs a query with values for its placeholders. */
export type RunQuery<Row> = (values: Record<string, unknown>) => Promise<TextRow<Row>[]>;

/** A placeholder for every name. */
const placeholders = new Proxy({}, { get: (_, name) => placeholder(String(name)) });

type Decode = (value: unknown) => unknown;

/** A selected column, or an SQL expression with an optional alias. */
type SelectedField = ColumnField | ExpressionField | { sql: ExpressionField };
type ColumnField = { dataType: string; table: Table; getSQLType: () => string; mapFromDriverValue: Decode };
type ExpressionField = { decoder: { mapFromDriverValue: Decode } };

/** What Drizzle's prepared queries consist of. Its types do not show all of it. */
type DrizzleQuery = {
  execute: (values: Record<string, unknown>) => Promise<unknown>;
  /** The selected fields in their order, with their paths in a row. */
  fields: readonly { path: readonly string[]; field: SelectedField }[];
  /** Whether the rows of a table can't be missing, by the table's name. */
  joinsNotNullableMap?: Readonly<Record<string, boolean>>;
  customResultMapper?: (rows: readonly unknown[][]) => unknown[];
};

const isColumn = (field: SelectedField): field is ColumnField => is(field, Column as never);

/** How a value is decoded; undefined if it is used as the driver returns it. */
function decoderOf(field: SelectedField): Decode | undefined {
  if (!isColumn(field)) return ("sql" in field ? field.sql : field).decoder.mapFromDriverValue;
  const isText = field.dataType !== "number" && /^(numeric|bigint)/.test(field.getSQLType());
  const isUnchanged = field.mapFromDriverValue === Column.prototype.mapFromDriverValue;
  return isText || isUnchanged ? undefined : (value) => field.mapFromDriverValue(value);
}

type Field = { name: string; position: number; decode: Decode | undefined };

/** The fields of one table in a row: of the row itself, or of a joined table, which is null without a row. */
type Group = { name: string | undefined; isOptional: boolean; fields: Field[] };

function groupsOf({ fields, joinsNotNullableMap = {} }: DrizzleQuery): Group[] {
  const groups = new Map<string | undefined, Group>();
  for (const [position, { path, field }] of fields.entries()) {
    const name = path.length > 1 ? path[0] : undefined;
    const isOptional = isColumn(field) && joinsNotNullableMap[getTableName(field.table)] === false;
    const group = groups.get(name) ?? { name, isOptional, fields: [] };
    group.fields.push({ name: path.at(-1) ?? "", position, decode: decoderOf(field) });
    groups.set(name, group);
  }
  return [...groups.values()];
}

function decodeGroup(row: readonly unknown[], { fields, isOptional }: Group, into: Record<string, unknown>): unknown {
  let isMissing = isOptional;
  for (const { name, position, decode } of fields) {
    const value = row[position];
    if (value !== null) isMissing = false;
    into[name] = value === null || !decode ? value : decode(value);
  }
  return isMissing ? null : into;
}

/** Decodes rows as Drizzle does, except for {@link TextRow}. Drizzle examines every field of every row anew. */
const rowDecoder = (query: DrizzleQuery) => {
  const groups = groupsOf(query);
  return (row: readonly unknown[]) => {
    const result: Record<string, unknown> = {};
    for (const group of groups) {
      if (group.name === undefined) decodeGroup(row, group, result);
      else result[group.name] = decodeGroup(row, group, {});
    }
    return result;
  };
};

/** A query that Drizzle can prepare. Its type does not show that. */
type Preparable = { prepare: (name: string) => DrizzleQuery; toSQL: () => { sql: string } };

/**
 * Prepares a query with placeholders. Drizzle takes longer to build most queries than PostgreSQL to run them. Only a fixed query
 * has a name: see {@link PreparedPool}.
 */
export function prepareQuery<Row>(query: Query<Row>, isFixed = false): RunQuery<Row> {
  const preparable = query as never as Preparable;
  const prepared = preparable.prepare(isFixed ? statementName(preparable.toSQL().sql) : "");
  const decode = rowDecoder(prepared);
  prepared.customResultMapper = (rows) => rows.map(decode);
  return (values) => prepared.execute(values) as Promise<TextRow<Row>[]>;
}

/**
 * Defines a fixed query with values. It is prepared once per database.
 *
 * @example
 * const findAgent = preparedQuery((db, { id }: Placeholders<{ id: bigint }>) => db.select().from(agent).where(eq(agent.id, id)));
 * const [row] = await findAgent(db, { id: 1n });
 */
export function preparedQuery<Values extends Record<string, unknown>, Row, Database extends object = Readable>(
  build: (db: Database, values: Placeholders<Values>) => Query<Row>,
): (db: Database, values: Values) => Promise<TextRow<Row>[]> {
  const prepared = new WeakMap<Database, RunQuery<Row>>();
  return (db, values) => {
    let run = prepared.get(db);
    if (!run) {
      run = prepareQuery(build(db, placeholders as never), true);
      prepared.set(db, run);
    }
    return run(values);
  };
}
