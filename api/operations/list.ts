import { and, asc, count, desc, gt, gte, lt, lte, or, type SQL } from "drizzle-orm";
import type { PgColumn, PgSelect, PgTable } from "drizzle-orm/pg-core";
import { BadInput } from "../errors";
import { readCursor, writeCursor } from "../http/cursor";
import type { IndexDatabase, Services } from "../services";
import { type Operation, operation, z } from "./operation";
import { cursor, flag, limit, offset } from "./scalars";

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

type Source<Row> = {
  query: Query<Row>;
  /** The query that counts all rows of it. */
  counting: Query<{ total: number }>;
  where: (SQL | undefined)[];
  order: readonly SortColumn<NoInfer<Row>>[];
};

type Pagination = z.infer<typeof Pagination>;

/** Reads one page of a list: one query, and one more to count all rows if that is asked for. */
export async function readPage<Row, Input extends PageInput>(
  config: Services["config"],
  /** The name of the list: a cursor is good for one list with one set of filters. */
  route: string,
  input: Input,
  { query, counting, where, order }: Source<Row>,
): Promise<{ rows: Row[]; pagination: Pagination }> {
  const { limit, offset, cursor, total, ...filters } = input;
  if (cursor !== undefined && offset !== undefined) throw new BadInput("cursor: can't be used together with offset");
  const list = `${route} ${JSON.stringify(filters, (_, value) => (typeof value === "bigint" ? String(value) : value))}`;
  const filter = and(...where);
  const [found, counted] = await Promise.all([
    runPage(query, {
      where: cursor === undefined ? filter : and(filter, after(order, placeOf(config, list, cursor, order))),
      orderBy: order.map(({ column, descending }) => (descending ? desc(column) : asc(column))),
      limit: limit + 1,
      offset: offset ?? 0,
    }),
    total ? (counting as never as PgSelect).where(filter) : undefined,
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
      ...(counted && { total: Number(counted[0]?.total) }),
    },
  };
}

/** The values of a cursor, as their columns have them. */
function placeOf<Row>(
  { cursorSecret }: Services["config"],
  list: string,
  cursor: string,
  order: readonly SortColumn<Row>[],
): (bigint | number | string)[] {
  const key = readCursor(cursorSecret, list, cursor);
  if (!key) throw new BadInput("cursor: is not one that this service made for this list with these filters");
  return order.map(({ column }, place) => {
    const value = key[place] ?? "";
    return column.dataType === "bigint" ? BigInt(value) : column.dataType === "number" ? Number(value) : value;
  });
}

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

type ListDefinition<Name extends string, Item extends z.ZodType, Filters extends z.ZodRawShape, Row> = {
  route: `GET /${string}`;
  summary: string;
  /** Under which key the items are. */
  name: Name;
  item: Item;
  filters: Filters;
  example: z.input<z.ZodObject<Filters>>;
  query: (db: IndexDatabase, now: bigint) => Query<Row>;
  /** The query that counts, where it can do with less than `query`: it has every table that `where` looks at. */
  counting: (db: IndexDatabase) => Query<{ total: number }>;
  where: (filters: z.output<z.ZodObject<Filters>>, now: bigint) => (SQL | undefined)[];
  order: readonly SortColumn<NoInfer<Row>>[];
  toWire: (row: NoInfer<Row>, now: bigint) => z.input<Item>;
};

/** Makes the operation of a list out of its query, filters and order; paging is the same for all. */
export function listOperation<
  const Name extends string,
  Item extends z.ZodType,
  const Filters extends z.ZodRawShape,
  Row,
>(definition: ListDefinition<Name, Item, Filters, Row>) {
  const { route, summary, name, item, filters, example, query, counting, where, order, toWire } = definition;
  const input = z.object({ ...filters, ...pageInput });
  const output = listOutput(name, item);
  const run = async ({ db, config, now: clock }: Services, parsed: PageInput & z.output<z.ZodObject<Filters>>) => {
    const now = await clock();
    const { rows, pagination } = await readPage(config, route, parsed, {
      query: query(db, now),
      counting: counting(db),
      where: where(parsed, now),
      order,
    });
    return { [name]: rows.map((row) => toWire(row, now)), pagination };
  };
  return operation({ route, summary, input, output, example, run } as never as Operation<typeof input, typeof output>);
}

/** The query that counts the rows of a table. */
export const countRows = (db: IndexDatabase, table: PgTable) => db.select({ total: count() }).from(table).$dynamic();
