import { and, asc, count, desc, gt, gte, lt, lte, or, type Placeholder, placeholder, type SQL, sql } from "drizzle-orm";
import { type PgColumn, type PgSelect, type PgTable, unionAll } from "drizzle-orm/pg-core";
import { LRUCache } from "lru-cache";
import type { IndexDatabase, Selectable } from "../indexed/database";
import { prepareQuery, prepareShape, type Query, type RunQuery } from "../indexed/prepared-query";

/** One column of a sort order. The last column of an order is unique, which makes the order total. */
export type SortColumn<Row> = {
  column: PgColumn | SQL;
  descending?: boolean;
  of: (row: Row) => bigint | number | string;
};

/** The sort orders of a list, by name. The first one is the default. */
type Orders<Row> = Readonly<Record<string, readonly SortColumn<Row>[]>>;

/** A dynamic Drizzle query, typed by its rows. */
type DynamicQuery<Row> = PromiseLike<Row[]> & { $dynamic: () => unknown };

/** The current time as a placeholder, in unix seconds. */
export type Now = { readonly now: Placeholder<"now", bigint> };

/** Filters as placeholders. A variant is a filter with its value, because the query depends on it. */
type FilterPlaceholders<Filters, Variant> = {
  readonly [Name in keyof Filters]: Name extends Variant
    ? Filters[Name]
    : Placeholder<Name & string, Filters[Name]> | Extract<Filters[Name], undefined>;
};

/** A query for the rows of a list, with its filters and orders. */
export type Source<Filters, Variant, Row> = {
  query: (db: Selectable, time: Now) => DynamicQuery<Row>;
  /** The table of `where` and `orders`, or a query that counts its rows and joins every other table that `where` uses. */
  rows: PgTable | ((db: Selectable) => DynamicQuery<{ total: number }>);
  where: (filters: FilterPlaceholders<Filters, Variant>, time: Now) => (SQL | undefined)[];
  orders: Orders<NoInfer<Row>>;
  /** Returns a query that reads the number of rows from where it is kept. Undefined for filters whose rows are counted. */
  counted?: (
    db: Selectable,
    filters: FilterPlaceholders<Filters, Variant>,
  ) => DynamicQuery<{ total: number }> | undefined;
};

/** The name of the default order of a list. */
export const defaultOrder = (orders: Readonly<Record<string, unknown>>): string => Object.keys(orders)[0] ?? "";

/** The queries of a list with one shape: one set of filters and one kind of page. */
export type ListQueries<Row> = {
  page: RunQuery<Row>;
  counts: RunQuery<{ total: number }>[];
  /** Whether they have a placeholder for the time. */
  useTime: boolean;
};

/** A kind of page, and the name of its order. */
type Page = { hasOffset: boolean; hasCursor: boolean; sort: string };

/** The name of the placeholder of a cursor's key at a position of the order. */
export const keyName = (position: number) => `key${position}`;

/** A query with the methods that all dynamic queries have. Drizzle's type of a dynamic query loses the row type. */
const asSelect = (query: unknown) => query as PgSelect;

const limited = (query: PgSelect, hasOffset: boolean) => {
  const first = query.limit(placeholder("limit"));
  return hasOffset ? first.offset(placeholder("offset")) : first;
};

const orderOf = <Row>(order: readonly SortColumn<Row>[]) =>
  order.map(({ column, descending }) => (descending ? desc(column) : asc(column)));

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

/**
 * Finds the sort key of the first row of a page with an offset. Only the sort columns of the rows before it are read, often
 * from a database index alone. The query of the page selects from `db`, where `reached` is its first row or a later one.
 */
function firstKey<Row>(
  db: IndexDatabase,
  table: PgTable,
  where: SQL | undefined,
  order: readonly SortColumn<Row>[],
): { db: Selectable; reached: SQL | undefined } {
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
  return { db: db.with(first), reached: after(order, keyOf, true) };
}

/**
 * The first page of several sources, each of which is sorted and limited by itself, so that PostgreSQL can read no more rows
 * of it than the page needs. The sort columns are the first ones of their output.
 */
function unionOf(
  sources: PgSelect[],
  order: readonly SortColumn<never>[],
  { hasOffset }: Pick<Page, "hasOffset">,
): PgSelect {
  const [first, second, ...others] = sources.map((source) => source.limit(placeholder(hasOffset ? "end" : "limit")));
  const union = unionAll(first as never, second as never, ...(others as never[])) as unknown as PgSelect;
  const positions = order.map(({ descending }, index) => sql.raw(`${index + 1}${descending ? " desc" : ""}`));
  return limited(union.orderBy(...positions), hasOffset);
}

/** Prepares the queries of a list for one shape. */
function prepareList<Filters, Variant, Row>(
  db: IndexDatabase,
  sources: readonly Source<Filters, Variant, Row>[],
  filters: FilterPlaceholders<Filters, Variant>,
  page: Page,
  prepare: <Selected>(query: Query<Selected>) => RunQuery<Selected>,
): ListQueries<Row> {
  let useTime = false;
  const time: Now = {
    get now() {
      useTime = true;
      return placeholder("now");
    },
  };
  type OneSource = Source<Filters, Variant, Row>;
  const orderIn = ({ orders }: OneSource) => orders[page.sort] ?? [];
  const sortedFrom = (source: OneSource, database: Selectable, start: SQL | undefined) =>
    asSelect(source.query(database, time))
      .where(and(...source.where(filters, time), start))
      .orderBy(...orderOf(orderIn(source)));
  const atCursor = (position: number) => placeholder(keyName(position));
  const sorted = (source: OneSource) =>
    sortedFrom(source, db, page.hasCursor ? after(orderIn(source), atCursor) : undefined);
  const pageFrom = (source: OneSource) => {
    const { rows, where } = source;
    if (!page.hasOffset || typeof rows === "function") return limited(sorted(source), page.hasOffset);
    const first = firstKey(db, rows, and(...where(filters, time)), orderIn(source));
    return limited(sortedFrom(source, first.db, first.reached), false);
  };
  const [single, ...others] = sources;
  const query =
    single && others.length === 0
      ? pageFrom(single)
      : unionOf(sources.map(sorted), single ? orderIn(single) : [], page);
  const counts = sources.map(
    ({ rows, where, counted }) =>
      counted?.(db, filters) ??
      asSelect(typeof rows === "function" ? rows(db) : db.select({ total: count() }).from(rows).$dynamic()).where(
        and(...where(filters, time)),
      ),
  );
  return {
    page: prepare(query as unknown as Query<Row>),
    counts: counts.map((one) => prepare(one as unknown as Query<{ total: number }>)),
    useTime,
  };
}

/** The maximum number of other than common shapes, of all lists, whose queries are kept. Clients choose them by their filters. */
const MAX_KEPT_SHAPES = 300;

/** The queries of all lists for a database, by list and shape. */
type Kept = { common: Map<string, ListQueries<never>>; others: LRUCache<string, ListQueries<never>> };

const keptQueries = new WeakMap<IndexDatabase, Kept>();

function keptQueriesOf(db: IndexDatabase): Kept {
  let kept = keptQueries.get(db);
  if (!kept) {
    kept = { common: new Map(), others: new LRUCache({ max: MAX_KEPT_SHAPES }) };
    keptQueries.set(db, kept);
  }
  return kept;
}

let lists = 0;

/**
 * Returns the queries of a list for a set of filters and a kind of page. They are prepared once, while they are in use. Those
 * of common shapes, without filters and in the default order, stay prepared, whatever clients request.
 */
export function listQueries<Filters extends Record<string, unknown>, Row, Variant extends keyof Filters>(
  sources: readonly Source<Filters, Variant, Row>[],
  variants: readonly Variant[],
): (db: IndexDatabase, filters: Readonly<Record<string, unknown>>, page: Page) => ListQueries<Row> {
  const list = ++lists;
  const isVariant = new Set<string>(variants.map(String));
  const usualSort = defaultOrder(sources[0]?.orders ?? {});
  return (db, filters, page) => {
    const names = Object.keys(filters).filter((name) => filters[name] !== undefined);
    const shape = `${list} ${names.map((name) => (isVariant.has(name) ? `${name}=${filters[name]}` : name))} ${Object.values(page)}`;
    const isCommon = names.length === 0 && !page.hasOffset && page.sort === usualSort;
    const { common, others } = keptQueriesOf(db);
    const kept = isCommon ? common : others;
    const known = kept.get(shape) as ListQueries<Row> | undefined;
    if (known) return known;
    const wanted = Object.fromEntries(
      names.map((name) => [name, isVariant.has(name) ? filters[name] : placeholder(name)]),
    );
    const prepare = isCommon ? prepareQuery : prepareShape;
    const queries = prepareList(db, sources, wanted as FilterPlaceholders<Filters, Variant>, page, prepare);
    kept.set(shape, queries as ListQueries<never>);
    return queries;
  };
}
