import type { ComponentChildren, ComponentType } from "preact";
import type { Pagination } from "../../client/src/api";
import { withQuery } from "../links";
import { fromStart, pageSizes } from "../lists/query";
import type { Parameters } from "../page";
import type { Reads } from "../reads";
import { Empty, type Rows, Segments, selectedTab, Tabs } from "./blocks";
import { Pager } from "./pager";
import { Count } from "./values";

const orders = ["newest", "oldest"] as const;

/** The part of a page with the tabs, so that a link to another tab does not scroll to the top. */
const ANCHOR = "records";

type ListInput = { limit: number; total: true; cursor?: string | undefined; sort?: (typeof orders)[number] };

type Choice<Chosen> = {
  /** The value in the address. */
  value: string;
  title: string;
  /** What it adds to the input of the API. */
  input: Chosen;
};

type Filter<Chosen> = { name: string; label: string; choices: readonly Choice<Chosen>[] };

type Definition<Name extends string, Row, Chosen> = {
  /** The property of the response with the rows. */
  name: Name;
  /** The name of the tab. Default: that of the property. */
  tab?: string;
  title: string;
  /** The page of the same list with all filters, as CSV and JSON. */
  page: string;
  /** The filters that select the rows. */
  of: Readonly<Record<string, string | undefined>>;
  read: (
    api: Reads,
    input: ListInput,
    chosen: Partial<Chosen>,
  ) => Promise<{ pagination: Pagination } & { [Property in Name]: readonly Row[] }>;
  Rows: ComponentType<Rows<Row>>;
  /** What would make rows appear. */
  empty: ComponentChildren;
  filter?: Filter<Chosen>;
  /** Whether the API has only one order. */
  hasOneOrder?: true;
};

/** A list of the records that belong to the record of a page, whatever the type of its rows. */
export type RecordList = Omit<Definition<string, unknown, unknown>, "read" | "tab"> & {
  read: (api: Reads, parameters: Parameters) => Promise<ListPage>;
};

/** One page of the list of the selected tab. */
export type ListPage = { tab: string; rows: readonly unknown[]; pagination: Pagination };

const orderIn = ({ sort }: Parameters) => selectedTab(orders, sort);

const choiceIn = <Chosen,>(filter: Filter<Chosen> | undefined, parameters: Parameters) =>
  filter?.choices.find(({ value }) => value === parameters[filter.name]);

/** Defines a list. The type of its rows is erased: only its own `read` creates those that its table receives. */
export function recordList<Name extends string, Row, Chosen>({
  read,
  tab,
  ...definition
}: Definition<Name, Row, Chosen>): RecordList {
  const readPage: RecordList["read"] = async (api, parameters) => {
    const input = {
      limit: Number(selectedTab(pageSizes, parameters.limit)),
      total: true as const,
      ...(parameters.cursor !== undefined && { cursor: parameters.cursor }),
      ...(!definition.hasOneOrder && { sort: orderIn(parameters) }),
    };
    const found = await read(api, input, choiceIn(definition.filter, parameters)?.input ?? {});
    return { tab: tab ?? definition.name, rows: found[definition.name], pagination: found.pagination };
  };
  return { ...definition, name: tab ?? definition.name, read: readPage } as unknown as RecordList;
}

/** The lists of a page. The first one is shown by default. */
export type RecordLists = readonly [RecordList, ...RecordList[]];

const listIn = (lists: RecordLists, tab: string | undefined) => lists.find(({ name }) => name === tab) ?? lists[0];

/** Reads the rows of the selected tab, and of no other. */
export const readTab = (api: Reads, lists: RecordLists, parameters: Parameters): Promise<ListPage> =>
  listIn(lists, parameters.tab).read(api, parameters);

/** The order and the filter of a list, as links. */
function Controls({ path, query, list }: { path: string; query: Parameters; list: RecordList }) {
  const { filter, hasOneOrder } = list;
  const href = (changes: Readonly<Record<string, string | undefined>>) =>
    `${withQuery(path, fromStart(query, changes))}#${ANCHOR}`;
  const chosen = choiceIn(filter, query);
  const chosenParameter = filter && chosen && { [filter.name]: chosen.value };
  return (
    <div class="controls">
      {filter && (
        <Segments
          label={filter.label}
          segments={[
            { title: "All", href: href({ [filter.name]: undefined }), isCurrent: chosen === undefined },
            ...filter.choices.map((choice) => ({
              title: choice.title,
              href: href({ [filter.name]: choice.value }),
              isCurrent: choice === chosen,
            })),
          ]}
        />
      )}
      {!hasOneOrder && (
        <Segments
          label="Order"
          segments={orders.map((order) => ({
            title: order === "newest" ? "Newest first" : "Oldest first",
            href: href({ sort: order === "newest" ? undefined : order }),
            isCurrent: orderIn(query) === order,
          }))}
        />
      )}
      <a class="more" href={withQuery(list.page, { ...list.of, ...chosenParameter })}>
        All filters and CSV
      </a>
    </div>
  );
}

/** The query of a page without the parameters of its path. */
const queryOf = ({ tab, cursor, trail, limit, sort, ...others }: Parameters, list: RecordList): Parameters => {
  const filter = list.filter && others[list.filter.name];
  const query = { tab, sort, limit, cursor, trail, ...(list.filter && { [list.filter.name]: filter }) };
  return Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
};

type Props = { path: string; parameters: Parameters; lists: RecordLists; page: ListPage };

/** The lists of a record as tabs, with the rows of the selected one. */
export function RecordTabs({ path, parameters, lists, page: { tab, rows, pagination } }: Props) {
  const list = listIn(lists, tab);
  const { title, Rows, empty } = list;
  const query = queryOf(parameters, list);
  return (
    <section class="card tabbed" id={ANCHOR}>
      <Tabs path={path} parameters={{ tab }} tabs={lists} label="Records" anchor={ANCHOR} />
      <header>
        <h2>
          {title} <span class="total">{pagination.total !== undefined && <Count value={pagination.total} />}</span>
        </h2>
        <Controls path={path} query={query} list={list} />
      </header>
      {rows.length === 0 ? (
        <Empty title={choiceIn(list.filter, query) ? "None match this filter" : `No ${title.toLowerCase()} yet`}>
          {choiceIn(list.filter, query) ? undefined : empty}
        </Empty>
      ) : (
        <Rows rows={rows} caption={title} of={list.of} />
      )}
      <Pager path={path} parameters={query} pagination={pagination} anchor={ANCHOR} />
    </section>
  );
}
