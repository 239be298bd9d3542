import { and, asc, count, desc, gt, gte, lt, lte, or, type Placeholder, placeholder, type SQL, sql } from "drizzle-orm";
import { type PgColumn, type PgSelect, type PgTable, unionAll } from "drizzle-orm/pg-core";
import { prepareQuery, type Query, type RunQuery, type TextRow } from "../database/prepared-query";
import type { IndexDatabase } from "../index/database";
import type { Clock } from "./clock";
import type { BaseContext } from "./context";
import { readCursor, writeCursor } from "./cursor";
import { BadInput } from "./errors";
import { inputText } from "./input-text";
import { cursor, flag, limit, offset } from "./inputs";
import { type Dependency, type Operation, operation, z } from "./operation";

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
type SortColumn<Row> = {
  column: PgColumn | SQL;
  descending?: boolean;
  of: (row: TextRow<Row>) => number | string;
};

/** A dynamic Drizzle query, typed by its rows. */
type DynamicQuery<Row> = Query<Row> & { $dynamic: () => unknown };

/** The current time as a placeholder, in unix seconds. */
export type Now = { readonly now: Placeholder<"now", bigint> };

/** Filters as placeholders. A variant is a filter with its value, because the query depends on it. */
type FilterPlaceholders<Filters, Variant> = {
  readonly [Name in keyof Filters]: Name extends Variant
    ? Filters[Name]
    : Placeholder<Name & string, Filters[Name]> | Extract<Filters[Name], undefined>;
};

/** A query for the rows of a list, with its filters and order. */
type Source<Filters, Variant, Row> = {
  query: (db: IndexDatabase, time: Now) => DynamicQuery<Row>;
  /** The table of `where` and `order`, or a query that counts its rows and joins every other table that `where` uses. */
  rows: PgTable | ((db: IndexDatabase) => DynamicQuery<{ total: number }>);
  where: (filters: FilterPlaceholders<Filters, Variant>, time: Now) => (SQL | undefined)[];
  order: readonly SortColumn<NoInfer<Row>>[];
};

type ListQueries<Row> = {
  page: RunQuery<Row>;
  counts: RunQuery<{ total: number }>[];
  /** Whether they have a placeholder for the time. */
  useTime: boolean;
};

/** A query with the methods that all dynamic queries have. Drizzle's type of a dynamic query loses the row type. */
const asSelect = (query: unknown) => query as PgSelect;

/**
 * Page sizes that are literals in the query. For an unknown page size PostgreSQL expects a tenth of all rows, and therefore
 * plans the query again for every request.
 */
const PLANNED_LIMITS = new Set([1, 10, 20, 25, 50, 100]);

/** A kind of page. `rows` is one more than the page size, if that is a literal. */
type Page = { rows: number | undefined; hasOffset: boolean; hasCursor: boolean };

const limited = (query: PgSelect, rows: number | undefined, hasOffset: boolean) => {
  const first = query.limit(rows ?? placeholder("limit"));
  return hasOffset ? first.offset(placeholder("offset")) : first;
};

/**
 * The first page of several sources, each of which is sorted and limited by itself, so that PostgreSQL can read no more rows
 * of it than the page needs. The sort columns are the first ones of their output.
 */
function unionOf(sources: PgSelect[], order: readonly SortColumn<never>[], { rows, hasOffset }: Page): PgSelect {
  const [first, second, ...others] = sources.map((source) =>
    source.limit(rows === undefined || hasOffset ? placeholder("end") : rows),
  );
  const union = unionAll(first as never, second as never, ...(others as never[])) as unknown as PgSelect;
  const positions = order.map(({ descending }, index) => sql.raw(`${index + 1}${descending ? " desc" : ""}`));
  return limited(union.orderBy(...positions), rows, hasOffset);
}

/** Prepares the queries of a list for one set of filters and one kind of page. */
function prepareList<Filters, Variant, Row>(
  db: IndexDatabase,
  sources: readonly Source<Filters, Variant, Row>[],
  filters: FilterPlaceholders<Filters, Variant>,
  page: Page,
): ListQueries<Row> {
  let useTime = false;
  const time: Now = {
    get now() {
      useTime = true;
      return placeholder("now");
    },
  };
  type OneSource = Source<Filters, Variant, Row>;
  const sortedFrom = ({ query, where, order }: OneSource, database: IndexDatabase, start: SQL | undefined) =>
    asSelect(query(database, time))
      .where(and(...where(filters, time), start))
      .orderBy(...orderOf(order));
  const sorted = (source: OneSource) =>
    sortedFrom(source, db, page.hasCursor ? after(source.order, keyPlaceholder) : undefined);
  const pageOf = (source: OneSource) => {
    const { rows, where, order } = source;
    if (!page.hasOffset || typeof rows === "function") return limited(sorted(source), page.rows, page.hasOffset);
    const first = firstKey(db, rows, and(...where(filters, time)), order);
    return limited(sortedFrom(source, first.db, first.reached), page.rows, false);
  };
  const [single, ...others] = sources;
  const query =
    single && others.length === 0 ? pageOf(single) : unionOf(sources.map(sorted), single?.order ?? [], page);
  const counts = sources.map(({ rows, where }) =>
    asSelect(typeof rows === "function" ? rows(db) : db.select({ total: count() }).from(rows).$dynamic()).where(
      and(...where(filters, time)),
    ),
  );
  return {
    page: prepareQuery(query as never as Query<Row>),
    counts: counts.map((one) => prepareQuery(one as never as Query<{ total: number }>)),
    useTime,
  };
}

const orderOf = <Row>(order: readonly SortColumn<Row>[]) =>
  order.map(({ column, descending }) => (descending ? desc(column) : asc(column)));

/**
 * Finds the sort key of the first row of a page with an offset. Only the sort columns of the rows before it are read, often
 * from a database index alone. `db` is the database for the query of the page, and `reached` selects the page's rows and
 * those after it.
 */
function firstKey<Row>(
  db: IndexDatabase,
  table: PgTable,
  where: SQL | undefined,
  order: readonly SortColumn<Row>[],
): { db: IndexDatabase; reached: SQL | undefined } {
  const columns = Object.fromEntries(
    order.map(({ column }, position) => [keyName(position), sql`${column}`.as(keyName(position))]),
  );
  const first = db.$with("first").as(
    db
      .select(columns)
      .from(table)
      .where(where)
      .orderBy(...orderOf(order))
      .limit(1)
      .offset(placeholder("offset")),
  );
  const keyOf = (position: number) => sql`(SELECT ${sql.identifier(keyName(position))} FROM ${first})`;
  // Its selects begin with the common table expression.
  const withFirst = Object.assign(Object.create(db) as IndexDatabase, { select: db.with(first).select });
  return { db: withFirst, reached: after(order, keyOf, true) };
}

/**
 * Selects the rows after a sort key, or also the row with it. The redundant bound on the first column lets PostgreSQL start an
 * index scan there; it can't derive that bound from the OR.
 */
function after<Row>(
  order: readonly SortColumn<Row>[],
  valueAt: (position: number) => unknown,
  isInclusive = false,
  position = 0,
): SQL | undefined {
  const [first, ...others] = order;
  if (!first) return undefined;
  const { descending } = first;
  const column = first.column as PgColumn;
  const value = valueAt(position);
  const beyond = descending ? lt(column, value) : gt(column, value);
  const notBefore = descending ? lte(column, value) : gte(column, value);
  if (others.length === 0) return isInclusive ? notBefore : beyond;
  return and(notBefore, or(beyond, after(others, valueAt, isInclusive, position + 1)));
}

const keyName = (position: number) => `key${position}`;
const keyPlaceholder = (position: number) => placeholder(keyName(position));

type Pagination = z.infer<typeof Pagination>;

type List<Filters, Row> = (
  context: Pick<BaseContext, "config">,
  db: IndexDatabase,
  clock: Pick<Clock, "now">,
  input: Filters & PageInput,
) => Promise<{ rows: TextRow<Row>[]; pagination: Pagination }>;

/**
 * Defines a list of rows from one or more sources, which have the same fields and the same order. Its queries are prepared
 * once for each set of filters. `variants` are the filters whose values change the query.
 */
export function pagedList<Filters extends Record<string, unknown>, Row, const Variant extends keyof Filters = never>(
  /** Part of the cursor's scope: a cursor is valid for one route with one set of filters. */
  route: string,
  sources: readonly Source<Filters, Variant, Row>[],
  variants: readonly Variant[] = [],
): List<Filters, Row> {
  const prepared = new WeakMap<IndexDatabase, Map<string, ListQueries<Row>>>();
  const isVariant = new Set<string>(variants.map(String));
  const order = sources[0]?.order ?? [];

  const queriesFor = (db: IndexDatabase, filters: Record<string, unknown>, page: Page): ListQueries<Row> => {
    const names = Object.keys(filters).filter((name) => filters[name] !== undefined);
    const shape = `${names.map((name) => (isVariant.has(name) ? `${name}=${filters[name]}` : name))} ${Object.values(page)}`;
    const ofDatabase = prepared.get(db) ?? new Map<string, ListQueries<Row>>();
    prepared.set(db, ofDatabase);
    const known = ofDatabase.get(shape);
    if (known) return known;
    const wanted = Object.fromEntries(
      names.map((name) => [name, isVariant.has(name) ? filters[name] : placeholder(name)]),
    );
    const queries = prepareList(db, sources, wanted as FilterPlaceholders<Filters, Variant>, page);
    ofDatabase.set(shape, queries);
    return queries;
  };

  return async ({ config }, db, clock, { limit, offset, cursor, total, ...filters }) => {
    if (cursor !== undefined && offset !== undefined) throw new BadInput("cursor: can't be used together with offset");
    const scope = () => `${route} ${inputText(filters)}`;
    const key = cursor === undefined ? [] : await keyOf(config, scope(), cursor);
    const { page, counts, useTime } = queriesFor(db, filters, {
      rows: PLANNED_LIMITS.has(limit) ? limit + 1 : undefined,
      hasOffset: offset !== undefined,
      hasCursor: cursor !== undefined,
    });
    const values = {
      ...filters,
      chainId: config.chainId,
      ...Object.fromEntries(key.map((value, position) => [keyName(position), value])),
      ...(useTime && { now: clock.now }),
      limit: limit + 1,
      offset: offset ?? 0,
      end: limit + 1 + (offset ?? 0),
    };
    const [found, counted] = await Promise.all([
      page(values),
      total ? Promise.all(counts.map((count) => count(values))) : undefined,
    ]);
    const rows = found.slice(0, limit);
    const last = found.length > limit ? rows.at(-1) : undefined;
    const lastKey = last && order.map(({ of }) => String(of(last)));
    return {
      rows,
      pagination: {
        limit,
        offset: offset ?? 0,
        count: rows.length,
        next_cursor: lastKey ? writeCursor(await config.cursorSecret(), scope(), lastKey) : null,
        ...(counted && { total: counted.flat().reduce((sum, row) => sum + row.total, 0) }),
      },
    };
  };
}

/** Decodes the sort key of a cursor. */
async function keyOf({ cursorSecret }: BaseContext["config"], scope: string, cursor: string): Promise<string[]> {
  const key = readCursor(await cursorSecret(), scope, cursor);
  if (!key) throw new BadInput("cursor: is not valid for this list with these filters; start again without a cursor");
  return key;
}

const unknownTime = () => {
  throw new Error("A list that uses the clock depends on time; add it to dependsOn");
};

/** The clock of lists that do not depend on time. */
const noClock: Clock = {
  get now() {
    return unknownTime();
  },
  hasReached: unknownTime,
};

type ListDefinition<
  Name extends string,
  Item extends z.ZodType,
  Filters extends z.ZodRawShape,
  Variant extends keyof Filters,
  Row,
> = Source<z.output<z.ZodObject<Filters>>, Variant, Row> & {
  route: `GET /${string}`;
  summary: string;
  description?: string;
  /** The key of the items in the output. */
  name: Name;
  item: Item;
  filters: Filters;
  /** The filters whose values change the query. */
  variants?: readonly Variant[];
  example: z.input<z.ZodObject<Filters>>;
  /** The index, the store, or both. With `time`, the query and the rows may use the clock. */
  dependsOn: readonly Dependency[];
  toWire: (row: TextRow<NoInfer<Row>>, clock: Clock) => z.input<Item>;
};

/** Creates a paged list operation from a query, filters and an order. */
export function listOperation<
  const Name extends string,
  Item extends z.ZodType,
  const Filters extends z.ZodRawShape,
  Row,
  const Variant extends keyof Filters = never,
>(definition: ListDefinition<Name, Item, Filters, Variant, Row>) {
  const { route, summary, description, name, item, filters, variants, example, dependsOn, toWire } = definition;
  const input = z.object({ ...filters, ...pageInput });
  const output = listOutput(name, item);
  const list = pagedList<Record<string, unknown>, Row>(route, [definition as never], variants as never);
  const run = async (context: BaseContext, parsed: PageInput & z.output<z.ZodObject<Filters>>) => {
    const store = dependsOn.includes("store") ? await context.store() : undefined;
    const db = store && !dependsOn.includes("index") ? store : context.db;
    const clock = dependsOn.includes("time") ? await context.clock() : noClock;
    const { rows, pagination } = await list(context, db, clock, parsed as never);
    return { [name]: rows.map((row) => toWire(row as never, clock)), pagination };
  };
  return operation({
    route,
    summary,
    ...(description && { description }),
    input,
    output,
    example,
    dependsOn,
    run,
  } as never as Operation<typeof input, typeof output>);
}
