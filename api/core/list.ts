import { and, asc, count, desc, eq, gt, gte, lt, lte, or, type SQL } from "drizzle-orm";
import type { PgColumn, PgSelect, PgTable } from "drizzle-orm/pg-core";
import type { IndexDatabase } from "../index/database";
import { type Clock, clockAt } from "./clock";
import type { BaseContext } from "./context";
import { readCursor, writeCursor } from "./cursor";
import { BadInput } from "./errors";
import { inputText } from "./input-text";
import { cursor, flag, limit, offset } from "./inputs";
import { type Operation, operation, z } from "./operation";

/** Paging parameters, common to all lists. */
export const pageInput = {
  limit,
  offset: offset.optional(),
  cursor: cursor.optional(),
  total: flag.optional().openapi({ description: "Whether to return the total number of rows." }),
};

const Pagination = z
  .strictObject({
    limit: z.int().min(1).max(100).openapi({ example: 50 }),
    offset: z.int().min(0).openapi({ example: 0 }),
    count: z.int().min(0).openapi({ description: "Rows in this page.", example: 1 }),
    next_cursor: z.string().nullable().openapi({ description: "Null on the last page.", example: null }),
    total: z.int().min(0).optional().openapi({ description: "Rows in the whole list. Present with total=true." }),
  })
  .openapi("Pagination");

/** The output schema of a list: the items under `name`, and the pagination. */
export const listOutput = <const Name extends string, Item extends z.ZodType>(name: Name, item: Item) =>
  z.strictObject({ [name]: z.array(item), pagination: Pagination } as { [Key in Name]: z.ZodArray<Item> } & {
    pagination: typeof Pagination;
  });

type PageInput = { limit: number; offset?: number; cursor?: string; total?: boolean };

/** One column of a sort order. The last column of an order is unique, which makes the order total. */
type SortColumn<Row> = { column: PgColumn; descending?: boolean; of: (row: Row) => bigint | number | string };

type Page = { where: SQL | undefined; orderBy: SQL[]; limit: number; offset: number };

/** A dynamic Drizzle query, typed by its rows. */
type Query<Row> = PromiseLike<Row[]> & { $dynamic: () => unknown };

/** Runs a query for one page. Drizzle's type of a dynamic query loses the row type, hence the casts. */
const runPage = <Row>(query: Query<Row>, { where, orderBy, limit, offset }: Page) =>
  (query as never as PgSelect)
    .where(where)
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset) as PromiseLike<Row[]>;

/** A query for the rows of a list, with its filters and order. */
export type Source<Row> = {
  query: Query<Row>;
  /** Counts all rows. */
  counting: Query<{ total: number }>;
  where: (SQL | undefined)[];
  order: readonly SortColumn<NoInfer<Row>>[];
};

type Pagination = z.infer<typeof Pagination>;

/** Reads one page of a list. A second query counts all rows if the input has `total`. */
export async function readPage<Row, Input extends PageInput>(
  config: BaseContext["config"],
  /** Part of the cursor's scope: a cursor is valid for one route with one set of filters. */
  route: string,
  input: Input,
  { query, counting, where, order }: Source<Row>,
): Promise<{ rows: Row[]; pagination: Pagination }> {
  const { limit, offset, cursor, total } = input;
  const list = cursorScope(route, input);
  const filter = and(...where);
  const lastKey = cursor === undefined ? undefined : valuesOf(order, await keyOf(config, list, cursor));
  const [found, counted] = await Promise.all([
    runPage(query, {
      where: lastKey ? and(filter, after(order, lastKey)) : filter,
      orderBy: directions(order),
      limit: limit + 1,
      offset: offset ?? 0,
    }),
    total ? countAll(counting, filter) : undefined,
  ]);
  const rows = found.slice(0, limit);
  const last = found.length > limit ? rows.at(-1) : undefined;
  return {
    rows,
    pagination: {
      limit,
      offset: offset ?? 0,
      count: rows.length,
      next_cursor: last
        ? writeCursor(
            await config.cursorSecret(),
            list,
            order.map(({ of }) => String(of(last))),
          )
        : null,
      ...(counted !== undefined && { total: counted }),
    },
  };
}

/** The scope of a cursor: the route and the filters. Rejects a cursor combined with an offset. */
function cursorScope(route: string, { limit, offset, cursor, total, ...filters }: PageInput): string {
  if (cursor !== undefined && offset !== undefined) throw new BadInput("cursor: can't be used together with offset");
  return `${route} ${inputText(filters)}`;
}

const directions = <Row>(order: readonly SortColumn<Row>[]) =>
  order.map(({ column, descending }) => (descending ? desc(column) : asc(column)));

async function countAll(counting: Query<{ total: number }>, filter: SQL | undefined): Promise<number> {
  const [row] = await (counting as never as PgSelect).where(filter);
  return Number(row?.total);
}

/** Decodes the sort key of a cursor. */
async function keyOf({ cursorSecret }: BaseContext["config"], list: string, cursor: string): Promise<string[]> {
  const key = readCursor(await cursorSecret(), list, cursor);
  if (!key) throw new BadInput("cursor: is not valid for this list with these filters; start again without a cursor");
  return key;
}

/** Converts a sort key to the column types. */
const valuesOf = <Row>(order: readonly SortColumn<Row>[], key: readonly string[]) =>
  order.map(({ column }, index) => {
    const value = key[index] ?? "";
    return column.dataType === "number" ? Number(value) : column.dataType === "string" ? value : BigInt(value);
  });

/**
 * Selects the rows after a sort key. The redundant bound on the first column lets PostgreSQL start an index scan there;
 * it can't derive that bound from the OR.
 */
function after<Row>([first, ...others]: readonly SortColumn<Row>[], [value, ...values]: unknown[]): SQL | undefined {
  if (!first) return undefined;
  const { column, descending } = first;
  const beyond = descending ? lt(column, value) : gt(column, value);
  if (others.length === 0) return beyond;
  const notBefore = descending ? lte(column, value) : gte(column, value);
  return and(notBefore, or(beyond, after(others, values)));
}

/** One source of a merged list, with the conversion of its rows to items. */
type MergedSource<Row, Item> = Source<Row> & { toItem: (row: Row) => Item };

type Sorted<Item> = { item: Item; key: (bigint | number | string)[] };

/** Compares two sort keys; `descending` has the direction of each column. */
function compareKeys(one: Sorted<unknown>, other: Sorted<unknown>, descending: readonly boolean[]): number {
  for (const [index, value] of one.key.entries()) {
    const otherValue = other.key[index] as typeof value;
    if (value !== otherValue) return value < otherValue !== (descending[index] ?? false) ? -1 : 1;
  }
  return 0;
}

/**
 * Reads one page of a list whose rows are in two databases. The last sort column is unique only within a source, so on a
 * tie in the other columns the first source precedes the second. A page reads up to as many extra rows as the second
 * source has, so the second source must be the smaller one.
 */
export async function mergePages<First, Second, Item, Input extends PageInput>(
  config: BaseContext["config"],
  route: string,
  input: Input,
  [first, second]: readonly [MergedSource<First, Item>, MergedSource<Second, Item>],
): Promise<{ items: Item[]; pagination: Pagination }> {
  const { limit, offset = 0, cursor, total } = input;
  const list = cursorScope(route, input);
  const key = cursor === undefined ? undefined : await keyOf(config, list, cursor);
  const inSecond = await countAll(second.counting, and(...second.where));
  // At most `inSecond` rows of the second source precede the offset, so the first source can skip the rest in SQL.
  const skipped = Math.max(0, offset - inSecond);
  const read = async <Row>(
    { query, where, order, toItem }: MergedSource<Row, Item>,
    sourceIndex: number,
    page: Partial<Page>,
  ) => {
    const rows = await runPage(query, {
      where: and(...where, key && afterInSource(order, key, sourceIndex)),
      orderBy: directions(order),
      limit: limit + 1 + inSecond,
      offset: 0,
      ...page,
    });
    return rows.map((row): Sorted<Item> => {
      const values = order.map(({ of }) => of(row));
      return { item: toItem(row), key: [...values.slice(0, -1), sourceIndex, ...values.slice(-1)] };
    });
  };
  const [ofFirst, ofSecond, inFirst] = await Promise.all([
    read(first, 0, { offset: skipped }),
    inSecond > 0 ? read(second, 1, cursor === undefined ? { limit: inSecond } : { limit: limit + 1 }) : [],
    total ? countAll(first.counting, and(...first.where)) : undefined,
  ]);
  const descending = [...first.order.slice(0, -1).map((column) => column.descending ?? false), false, false];
  const sorted = [...ofFirst, ...ofSecond].sort((one, other) => compareKeys(one, other, descending));
  const page = sorted.slice(offset - skipped, offset - skipped + limit + 1);
  const items = page.slice(0, limit);
  const last = page.length > limit ? items.at(-1) : undefined;
  return {
    items: items.map(({ item }) => item),
    pagination: {
      limit,
      offset,
      count: items.length,
      next_cursor: last ? writeCursor(await config.cursorSecret(), list, last.key.map(String)) : null,
      ...(inFirst !== undefined && { total: inFirst + inSecond }),
    },
  };
}

/** Selects a source's rows after a merged sort key. The key's second to last part is the index of its own source. */
function afterInSource<Row>(
  order: readonly SortColumn<Row>[],
  key: readonly string[],
  sourceIndex: number,
): SQL | undefined {
  const keySource = Number(key.at(-2));
  const shared = order.slice(0, -1);
  const sharedKey = key.slice(0, -2);
  if (sourceIndex === keySource) return after(order, valuesOf(order, [...sharedKey, key.at(-1) ?? ""]));
  const values = valuesOf(shared, sharedKey);
  const beyond = after(shared, values);
  return sourceIndex < keySource
    ? beyond
    : or(beyond, and(...shared.map(({ column }, index) => eq(column, values[index]))));
}

type ListDefinition<Name extends string, Item extends z.ZodType, Filters extends z.ZodRawShape, Row, Related> = {
  route: `GET /${string}`;
  summary: string;
  /** The key of the items in the output. */
  name: Name;
  item: Item;
  filters: Filters;
  example: z.input<z.ZodObject<Filters>>;
  /** The database of the rows. Default: the index. */
  database?: (context: BaseContext) => Promise<IndexDatabase>;
  query: (db: IndexDatabase, clock: Clock) => Query<Row>;
  /** Counts the rows. It must join every table that `where` uses, and may omit the others of `query`. */
  counting: (db: IndexDatabase) => Query<{ total: number }>;
  where: (filters: z.output<z.ZodObject<Filters>>, clock: Clock) => (SQL | undefined)[];
  order: readonly SortColumn<NoInfer<Row>>[];
  /** Loads related data for all rows of a page at once. */
  related?: (context: BaseContext, rows: NoInfer<Row>[]) => Promise<Related>;
  toWire: (row: NoInfer<Row>, clock: Clock, related: NoInfer<Related>) => z.input<Item>;
};

/** Creates a paged list operation from a query, filters and an order. */
export function listOperation<
  const Name extends string,
  Item extends z.ZodType,
  const Filters extends z.ZodRawShape,
  Row,
  Related = undefined,
>(definition: ListDefinition<Name, Item, Filters, Row, Related>) {
  const { route, summary, name, item, filters, example, database, query, counting, where, order, related, toWire } =
    definition;
  const input = z.object({ ...filters, ...pageInput });
  const output = listOutput(name, item);
  const run = async (context: BaseContext, parsed: PageInput & z.output<z.ZodObject<Filters>>) => {
    // Lists outside the index do not depend on the chain's time.
    const [clock, db] = await Promise.all(database ? [clockAt(0n), database(context)] : [context.clock(), context.db]);
    const { rows, pagination } = await readPage(context.config, route, parsed, {
      query: query(db, clock),
      counting: counting(db),
      where: where(parsed, clock),
      order,
    });
    const relatedRows = (await related?.(context, rows)) as Related;
    return { [name]: rows.map((row) => toWire(row, clock, relatedRows)), pagination };
  };
  const readsIndex = database ? { readsIndex: false } : {};
  return operation({ route, summary, input, output, example, ...readsIndex, run } as never as Operation<
    typeof input,
    typeof output
  >);
}

/** A query that counts the rows of a table. */
export const countRows = (db: IndexDatabase, table: PgTable) => db.select({ total: count() }).from(table).$dynamic();
