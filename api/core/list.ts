import { and, asc, count, desc, eq, gt, gte, lt, lte, or, type SQL } from "drizzle-orm";
import type { PgColumn, PgSelect, PgTable } from "drizzle-orm/pg-core";
import type { IndexDatabase } from "../index/database";
import type { BaseContext } from "./context";
import { readCursor, writeCursor } from "./cursor";
import { BadInput } from "./errors";
import { cursor, flag, limit, offset } from "./inputs";
import { type Operation, operation, z } from "./operation";

/** The input of every list, beside its filters. */
export const pageInput = {
  limit,
  offset: offset.optional(),
  cursor: cursor.optional(),
  total: flag.optional().openapi({ description: "Whether to count all rows as well." }),
};

const Pagination = z
  .strictObject({
    limit: z.int().min(1).max(100).openapi({ example: 50 }),
    offset: z.int().min(0).openapi({ example: 0 }),
    count: z.int().min(0).openapi({ description: "How many this page has.", example: 1 }),
    next_cursor: z.string().nullable().openapi({ description: "Null on the last page.", example: null }),
    total: z.int().min(0).optional().openapi({ description: "How many there are, if asked with total=true." }),
  })
  .openapi("Pagination");

/** The output of a list: its items under their name, and the pagination. */
export const listOutput = <const Name extends string, Item extends z.ZodType>(name: Name, item: Item) =>
  z.strictObject({ [name]: z.array(item), pagination: Pagination } as { [Key in Name]: z.ZodArray<Item> } & {
    pagination: typeof Pagination;
  });

type PageInput = { limit: number; offset?: number; cursor?: string; total?: boolean };

/** One column of a sort order. The last one of an order is unique, so that a row has one place. */
type SortColumn<Row> = { column: PgColumn; descending?: boolean; of: (row: Row) => bigint | number | string };

/** What a query needs to give one page. */
type Page = { where: SQL | undefined; orderBy: SQL[]; limit: number; offset: number };

/** A drizzle query that is still to be narrowed (`$dynamic()`), by its rows. */
type Query<Row> = PromiseLike<Row[]> & { $dynamic: () => unknown };

/** Runs a query for one page. Drizzle's own type of a dynamic query forgets its rows, so it is named only in here. */
const runPage = <Row>(query: Query<Row>, { where, orderBy, limit, offset }: Page) =>
  (query as never as PgSelect)
    .where(where)
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset) as PromiseLike<Row[]>;

/** One place where the rows of a list are, and their order. */
export type Source<Row> = {
  query: Query<Row>;
  /** The query that counts all rows of it. */
  counting: Query<{ total: number }>;
  where: (SQL | undefined)[];
  order: readonly SortColumn<NoInfer<Row>>[];
};

type Pagination = z.infer<typeof Pagination>;

/** Reads one page of a list: one query, and one more to count all rows if that is asked for. */
export async function readPage<Row, Input extends PageInput>(
  config: BaseContext["config"],
  /** The name of the list: a cursor is good for one list with one set of filters. */
  route: string,
  input: Input,
  { query, counting, where, order }: Source<Row>,
): Promise<{ rows: Row[]; pagination: Pagination }> {
  const { limit, offset, cursor, total } = input;
  const list = nameOf(route, input);
  const filter = and(...where);
  const place = cursor === undefined ? undefined : valuesOf(order, keyOf(config, list, cursor));
  const [found, counted] = await Promise.all([
    runPage(query, {
      where: place ? and(filter, after(order, place)) : filter,
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
            config.cursorSecret,
            list,
            order.map(({ of }) => String(of(last))),
          )
        : null,
      ...(counted !== undefined && { total: counted }),
    },
  };
}

/** Names a list with its filters, which is what a cursor is good for; a cursor and an offset can't both be meant. */
function nameOf(route: string, { limit, offset, cursor, total, ...filters }: PageInput): string {
  if (cursor !== undefined && offset !== undefined) throw new BadInput("cursor: can't be used together with offset");
  return `${route} ${JSON.stringify(filters, (_, value) => (typeof value === "bigint" ? String(value) : value))}`;
}

const directions = <Row>(order: readonly SortColumn<Row>[]) =>
  order.map(({ column, descending }) => (descending ? desc(column) : asc(column)));

async function countAll(counting: Query<{ total: number }>, filter: SQL | undefined): Promise<number> {
  const [row] = await (counting as never as PgSelect).where(filter);
  return Number(row?.total);
}

/** The sort key that a cursor holds. */
function keyOf({ cursorSecret }: BaseContext["config"], list: string, cursor: string): string[] {
  const key = readCursor(cursorSecret, list, cursor);
  if (!key) throw new BadInput("cursor: is not one that this service made for this list with these filters");
  return key;
}

/** The values of a sort key, as their columns have them. */
const valuesOf = <Row>(order: readonly SortColumn<Row>[], key: readonly string[]) =>
  order.map(({ column }, place) => {
    const value = key[place] ?? "";
    return column.dataType === "number" ? Number(value) : column.dataType === "string" ? value : BigInt(value);
  });

/**
 * The rows after a place: not before it in the first column, and beyond it there or else after it in the others. Said so,
 * the bound on the first column is one that an index can begin at; PostgreSQL does not find it in an OR.
 */
function after<Row>([first, ...others]: readonly SortColumn<Row>[], [value, ...values]: unknown[]): SQL | undefined {
  if (!first) return undefined;
  const { column, descending } = first;
  const beyond = descending ? lt(column, value) : gt(column, value);
  if (others.length === 0) return beyond;
  const notBefore = descending ? lte(column, value) : gte(column, value);
  return and(notBefore, or(beyond, after(others, values)));
}

/** Rows of one of the sources of a list that is merged, with what makes items of them. */
type MergedSource<Row, Item> = Source<Row> & { toItem: (row: Row) => Item };

type Sorted<Item> = { item: Item; key: (bigint | number | string)[] };

/** Which of two sort keys comes first; the direction of each column is that of the order. */
function compareKeys(one: Sorted<unknown>, other: Sorted<unknown>, descending: readonly boolean[]): number {
  for (const [place, value] of one.key.entries()) {
    const against = other.key[place] as typeof value;
    if (value !== against) return value < against !== (descending[place] ?? false) ? -1 : 1;
  }
  return 0;
}

/**
 * Reads one page of a list whose rows are in two databases, in one order: rows that are level up to the last column, which
 * is unique in each source alone, are those of the first source before those of the second. An offset costs as many rows
 * as the second source has, so that one is the small one.
 */
export async function mergePages<First, Second, Item, Input extends PageInput>(
  config: BaseContext["config"],
  route: string,
  input: Input,
  [first, second]: readonly [MergedSource<First, Item>, MergedSource<Second, Item>],
): Promise<{ items: Item[]; pagination: Pagination }> {
  const { limit, offset = 0, cursor, total } = input;
  const list = nameOf(route, input);
  const key = cursor === undefined ? undefined : keyOf(config, list, cursor);
  const inSecond = await countAll(second.counting, and(...second.where));
  // The rows of the first source that are left out here come before the offset, whatever the second source has.
  const skipped = Math.max(0, offset - inSecond);
  const read = async <Row>(
    { query, where, order, toItem }: MergedSource<Row, Item>,
    place: number,
    page: Partial<Page>,
  ) => {
    const rows = await runPage(query, {
      where: and(...where, key && afterInSource(order, key, place)),
      orderBy: directions(order),
      limit: limit + 1 + inSecond,
      offset: 0,
      ...page,
    });
    return rows.map((row): Sorted<Item> => {
      const values = order.map(({ of }) => of(row));
      return { item: toItem(row), key: [...values.slice(0, -1), place, ...values.slice(-1)] };
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
      next_cursor: last ? writeCursor(config.cursorSecret, list, last.key.map(String)) : null,
      ...(inFirst !== undefined && { total: inFirst + inSecond }),
    },
  };
}

/** The rows of a source after a place that may be in the other source: the key's last but one part says in which. */
function afterInSource<Row>(order: readonly SortColumn<Row>[], key: readonly string[], place: number): SQL | undefined {
  const keySource = Number(key.at(-2));
  const shared = order.slice(0, -1);
  const sharedKey = key.slice(0, -2);
  if (place === keySource) return after(order, valuesOf(order, [...sharedKey, key.at(-1) ?? ""]));
  const values = valuesOf(shared, sharedKey);
  const beyond = after(shared, values);
  return place < keySource ? beyond : or(beyond, and(...shared.map(({ column }, at) => eq(column, values[at]))));
}

type ListDefinition<Name extends string, Item extends z.ZodType, Filters extends z.ZodRawShape, Row, Beside> = {
  route: `GET /${string}`;
  summary: string;
  /** Under which key the items are. */
  name: Name;
  item: Item;
  filters: Filters;
  example: z.input<z.ZodObject<Filters>>;
  /** Where the rows are; unset, in the index. */
  database?: (context: BaseContext) => Promise<IndexDatabase>;
  query: (db: IndexDatabase, now: bigint) => Query<Row>;
  /** The query that counts, where it can do with less than `query`: it has every table that `where` looks at. */
  counting: (db: IndexDatabase) => Query<{ total: number }>;
  where: (filters: z.output<z.ZodObject<Filters>>, now: bigint) => (SQL | undefined)[];
  order: readonly SortColumn<NoInfer<Row>>[];
  /** What else the items of a page need, read for all of its rows at once. */
  beside?: (context: BaseContext, rows: NoInfer<Row>[]) => Promise<Beside>;
  toWire: (row: NoInfer<Row>, now: bigint, beside: NoInfer<Beside>) => z.input<Item>;
};

/** Makes the operation of a list out of its query, filters and order; paging is the same for all. */
export function listOperation<
  const Name extends string,
  Item extends z.ZodType,
  const Filters extends z.ZodRawShape,
  Row,
  Beside = undefined,
>(definition: ListDefinition<Name, Item, Filters, Row, Beside>) {
  const { route, summary, name, item, filters, example, database, query, counting, where, order, beside, toWire } =
    definition;
  const input = z.object({ ...filters, ...pageInput });
  const output = listOutput(name, item);
  const run = async (context: BaseContext, parsed: PageInput & z.output<z.ZodObject<Filters>>) => {
    // Rows outside the index do not change with the chain's time.
    const [now, db] = await Promise.all(database ? [0n, database(context)] : [context.now(), context.db]);
    const { rows, pagination } = await readPage(context.config, route, parsed, {
      query: query(db, now),
      counting: counting(db),
      where: where(parsed, now),
      order,
    });
    const besideRows = (await beside?.(context, rows)) as Beside;
    return { [name]: rows.map((row) => toWire(row, now, besideRows)), pagination };
  };
  const readsIndex = database ? { readsIndex: false } : {};
  return operation({ route, summary, input, output, example, ...readsIndex, run } as never as Operation<
    typeof input,
    typeof output
  >);
}

/** The query that counts the rows of a table. */
export const countRows = (db: IndexDatabase, table: PgTable) => db.select({ total: count() }).from(table).$dynamic();
