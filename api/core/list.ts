import type { IndexDatabase } from "../indexed/database";
import type { Clock } from "./clock";
import type { BaseContext } from "./context";
import { readCursor, writeCursor } from "./cursor";
import { BadInput } from "./errors";
import { inputText } from "./input-object";
import { cursor, exactly, flag, limit, offset } from "./inputs";
import { defaultOrder, keyName, listQueries, type Source } from "./list-queries";
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

/** The order of a list, as a parameter. */
export const sortInput = (orders: Readonly<Record<string, unknown>>) =>
  exactly(...Object.keys(orders))
    .optional()
    .openapi({ default: defaultOrder(orders) });

type PageInput = { limit: number; offset?: number; cursor?: string; total?: boolean; sort?: string };

type Pagination = z.infer<typeof Pagination>;

type List<Filters, Row> = (
  context: Pick<BaseContext, "config">,
  db: IndexDatabase,
  clock: Pick<Clock, "now">,
  input: Filters & PageInput,
) => Promise<{ rows: Row[]; pagination: Pagination }>;

/**
 * Defines a list of rows from one or more sources, which have the same fields and the same orders. Its queries are prepared
 * once for each set of filters and each order. `variants` are the filters whose values change the query.
 */
export function pagedList<Filters extends Record<string, unknown>, Row, const Variant extends keyof Filters = never>(
  /** Part of the cursor's scope: a cursor is valid for one route with one set of filters and one order. */
  route: string,
  sources: readonly Source<Filters, Variant, Row>[],
  variants: readonly Variant[] = [],
): List<Filters, Row> {
  const orders = sources[0]?.orders ?? {};
  const usualSort = defaultOrder(orders);
  const queriesFor = listQueries(sources, variants);
  return async ({ config }, db, clock, { limit, offset, cursor, total, sort = usualSort, ...filters }) => {
    if (cursor !== undefined && offset !== undefined) throw new BadInput("cursor: can't be used together with offset");
    const scope = () => `${route} ${inputText(sort === usualSort ? filters : { ...filters, sort })}`;
    const key = cursor === undefined ? [] : await keyOf(config, scope(), cursor);
    const { page, counts, useTime } = queriesFor(db, filters, {
      hasOffset: offset !== undefined,
      hasCursor: cursor !== undefined,
      sort,
    });
    const values = {
      chainId: config.chainId,
      ...filters,
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
    const lastKey = last && orders[sort]?.map(({ of }) => String(of(last)));
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
export const noClock: Clock = {
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
  /** Throws BadInput for filters or an order that can't be combined. */
  check?: (context: BaseContext, input: z.output<z.ZodObject<Filters>> & { sort?: string | undefined }) => void;
  toWire: (row: NoInfer<Row>, clock: Clock, config: BaseContext["config"]) => z.input<Item>;
};

/** Creates a paged list operation from a query, filters and orders. With several orders, it has the parameter `sort`. */
export function listOperation<
  const Name extends string,
  Item extends z.ZodType,
  const Filters extends z.ZodRawShape,
  Row,
  const Variant extends keyof Filters = never,
>(definition: ListDefinition<Name, Item, Filters, Variant, Row>) {
  const { route, summary, description, name, item, filters, variants, example, dependsOn, toWire, check } = definition;
  const { orders } = definition;
  const isSortable = Object.keys(orders).length > 1;
  const input = z.object({ ...filters, ...(isSortable && { sort: sortInput(orders) }), ...pageInput });
  const output = listOutput(name, item);
  const list = pagedList<Record<string, unknown>, Row>(route, [definition as never], variants as never);
  const run = async (context: BaseContext, parsed: PageInput & z.output<z.ZodObject<Filters>>) => {
    const store = dependsOn.includes("store") ? await context.store() : undefined;
    const db = store && !dependsOn.includes("index") ? store : context.db;
    const clock = dependsOn.includes("time") ? await context.clock() : noClock;
    const { rows, pagination } = await list(context, db, clock, parsed as never);
    return { [name]: rows.map((row) => toWire(row as never, clock, context.config)), pagination };
  };
  return operation({
    route,
    summary,
    ...(description && { description }),
    input,
    output,
    example,
    dependsOn,
    ...(check && { check }),
    run,
  } as never as Operation<typeof input, typeof output>);
}
