import type { ComponentChildren, ComponentType } from "preact";
import type { Pagination } from "../../client/src/api";
import { Empty, Heading, type Rows, type Sorting } from "../components/blocks";
import { ActiveFilters, FilterForm, QuickFilter } from "../components/filters";
import { Pager } from "../components/pager";
import { Count } from "../components/values";
import { links, withQuery } from "../links";
import { type Page, type Parameters, page, Redirect, type Subscription, type ViewProps } from "../page";
import type { Reads } from "../reads";
import { csvOf } from "./csv";
import { availableSorts, filterInput, fromStart, knownParameters, type ListQuery, listInput } from "./query";

type List<Name extends string, Row> = ListQuery & {
  /** The last part of the path. */
  name: string;
  title: string;
  /** What the rows are, in one sentence. */
  lead: ComponentChildren;
  /** The list in the API, and the property of its response with the rows. */
  api: { path: string; rows: Name };
  /** The API names a wrong value of an input, which comes from the address as it is. */
  read: (api: Reads, input: object) => Promise<{ pagination: Pagination } & { [Property in Name]: readonly Row[] }>;
  Rows: ComponentType<Rows<Row>>;
  /** What would make rows appear. */
  empty: ComponentChildren;
  subscription?: Subscription;
};

type Data<Row> = {
  rows: readonly Row[];
  /** Null if a filter is wrong. */
  pagination: Pagination | null;
  /** What is wrong with a filter. */
  problem: string | null;
  /** The filters, so that the names of the records and tokens in them are read. */
  filters: Parameters;
};

const BAD_REQUEST = 400;

/** Defines the page of a list. Its state is in its address. */
function pageOf<Name extends string, Row>(list: List<Name, Row>): Page {
  const { name, title, lead, api, read, Rows, sorts, empty, subscription } = list;
  const path = links.list(name);

  const View = ({ data: { rows, pagination, problem }, parameters: sent }: ViewProps<Data<Row>>) => {
    const parameters = knownParameters(list, sent);
    const usual = sorts[0]?.name ?? "";
    const sorting: Sorting = {
      current: parameters.sort ?? usual,
      available: availableSorts(list, parameters),
      href: (sort) => withQuery(path, fromStart(parameters, { sort: sort === usual ? undefined : sort })),
    };
    const state = { path, query: list, parameters };
    const isFiltered = list.filters.some((filter) => parameters[filter.name] !== undefined);
    return (
      <>
        <Heading
          lead={lead}
          actions={
            problem === null && (
              <>
                <a class="button" href={withQuery(`${path}.csv`, parameters)} download={`${name}.csv`}>
                  CSV
                </a>{" "}
                <a class="button" href={withQuery(api.path, listInput(list, parameters))}>
                  JSON
                </a>
              </>
            )
          }
        >
          {title}
          {pagination?.total !== undefined && (
            <>
              {" "}
              <span class="total">
                <Count value={pagination.total} />
              </span>
            </>
          )}
        </Heading>
        <section class="card list">
          {problem !== null && (
            <p class="warning" role="alert">
              {problem}
            </p>
          )}
          <div class="toolbar">
            <QuickFilter {...state} />
            {(list.filters.length > 0 || sorts.length > 1) && <FilterForm {...state} isOpen={problem !== null} />}
          </div>
          <ActiveFilters {...state} />
          {problem === null && rows.length === 0 ? (
            <Empty
              title={isFiltered ? `No ${title.toLowerCase()} match these filters.` : `No ${title.toLowerCase()} yet.`}
            >
              {isFiltered ? <a href={path}>Show all {title.toLowerCase()}</a> : empty}
            </Empty>
          ) : (
            problem === null && <Rows rows={rows} caption={title} sorting={sorting} />
          )}
          {pagination && <Pager path={path} parameters={parameters} pagination={pagination} />}
        </section>
      </>
    );
  };

  return page<Data<Row>>({
    path,
    title: () => title,
    async load(reads, sent) {
      const parameters = knownParameters(list, sent);
      const filters = filterInput(list, parameters);
      if (list.usual && Object.keys(filters).length === 0)
        throw new Redirect(withQuery(path, { ...parameters, ...list.usual }));
      try {
        const found = await read(reads, { ...listInput(list, parameters), total: true });
        return { rows: found[api.rows], pagination: found.pagination, problem: null, filters };
      } catch (error) {
        if (error instanceof Error && (error as { status?: unknown }).status === BAD_REQUEST)
          return { rows: [], pagination: null, problem: error.message, filters };
        throw error;
      }
    },
    status: ({ problem }) => (problem === null ? 200 : BAD_REQUEST),
    View,
    ...(subscription && { subscription: () => subscription }),
  });
}

/** A list as a page, and as CSV with the same rows. */
export type ListPage = { page: Page; csv: (reads: Reads, parameters: Parameters) => Promise<string> };

export const listPage = <Name extends string, Row extends object>(list: List<Name, Row>): ListPage => ({
  page: pageOf(list),
  async csv(reads, parameters) {
    const found = await list.read(reads, listInput(list, knownParameters(list, parameters)));
    return csvOf(found[list.api.rows]);
  },
});
