import type { ComponentChildren, ComponentType, VNode } from "preact";
import type { Pagination } from "../../client/src/api";
import { withQuery } from "../links";
import type { Parameters } from "../page";
import { Mark } from "./mark";

type Fact = {
  /** The name of the field in the API. */
  field: string;
  label: string;
  value: ComponentChildren;
};

type FactsProps = { items: readonly Fact[] };

const factsAs =
  (className: string) =>
  ({ items }: FactsProps) => (
    <dl class={className}>
      {items.map(({ field, label, value }) => (
        <div key={field} data-field={field}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );

/** The fields of a record. */
export const Facts = factsAs("facts");

/** Numbers at a glance. */
export const Tiles = factsAs("tiles");

type StatProps = {
  /** The name of the field in the API. */
  field: string;
  label: string;
  value: ComponentChildren;
  /** What it was before, or what it is made of. */
  note?: ComponentChildren;
  chart?: ComponentChildren;
};

/** Numbers that a page leads with, each a card. */
export const Stats = ({ items }: { items: readonly StatProps[] }) => (
  <dl class="stats">
    {items.map(({ field, label, value, note, chart }) => (
      <div key={field} class="card stat" data-field={field}>
        <dt>{label}</dt>
        <dd>{value}</dd>
        {chart}
        <dd class="change">{note}</dd>
      </div>
    ))}
  </dl>
);

type SectionProps = {
  title: string;
  children: ComponentChildren;
  note?: ComponentChildren;
  id?: string | undefined;
};

export const Section = ({ title, children, note, id }: SectionProps) => (
  <section class="card" id={id}>
    <header>
      <h2>{title}</h2>
      {note !== undefined && <div class="note">{note}</div>}
    </header>
    {children}
  </section>
);

type FoldProps = { title: string; children: ComponentChildren; isOpen?: boolean };

/** A part that most readers don't need, closed at first. */
export const Fold = ({ title, children, isOpen = false }: FoldProps) => (
  <details class="fold" open={isOpen}>
    <summary>{title}</summary>
    {children}
  </details>
);

/** The fields of a record that only developers need. */
export const Technical = ({ children }: { children: ComponentChildren }) => (
  <section class="card" id="technical">
    <Fold title="Technical details">{children}</Fold>
  </section>
);

type EmptyProps = {
  /** What is missing. */
  title: string;
  /** What would make it appear. */
  children?: ComponentChildren;
};

/** Stands for a list without rows. */
export const Empty = ({ title, children }: EmptyProps) => (
  <p class="empty">
    <strong>{title}</strong>
    {children}
  </p>
);

type Tab = { name: string; title: string };

type TabsProps = {
  path: string;
  parameters: Parameters;
  tabs: readonly Tab[];
  label: string;
  parameter?: string;
  /** The part of the page that a tab leads to. Without it, to its top. */
  anchor?: string;
};

/** The value of a parameter that selects one of several tabs; the first one by default. */
export const selectedTab = <Name extends string>(names: readonly [Name, ...Name[]], value: string | undefined): Name =>
  names.find((name) => name === value) ?? names[0];

/** Links that change a parameter of the address. The first tab has none. */
export const Tabs = ({ path, parameters, tabs, label, parameter = "tab", anchor }: TabsProps) => {
  const [first] = tabs;
  const fragment = anchor === undefined ? "" : `#${anchor}`;
  const current = tabs.find(({ name }) => name === parameters[parameter]) ?? first;
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map((tab) => (
        <a
          key={tab.name}
          href={`${withQuery(path, { [parameter]: tab === first ? undefined : tab.name })}${fragment}`}
          aria-current={tab === current ? "page" : undefined}
        >
          {tab.title}
        </a>
      ))}
    </nav>
  );
};

type Segment = { title: string; href: string; isCurrent: boolean };

/** A choice between a few variants of one part. */
export const Segments = ({ label, segments }: { label: string; segments: readonly Segment[] }) => (
  <nav class="segments" aria-label={label}>
    {segments.map(({ title, href, isCurrent }) => (
      <a key={title} href={href} aria-current={isCurrent ? "true" : undefined}>
        {title}
      </a>
    ))}
  </nav>
);

export type Column<Row> = {
  label: string;
  cell: (row: Row) => ComponentChildren;
  isNumber?: boolean;
  /** The filter by which all rows have the same value, so that the column is left out. */
  filter?: string;
  /** The orders that the list can have by this column, see {@link Sorting}. */
  sort?: SortNames;
};

type SortNames = { descending?: string; ascending?: string };

/** The order of a list. */
export type Sorting = {
  /** The value of `sort` now. */
  current: string;
  /** The orders that the list can have. */
  available: readonly string[];
  /** The address of the list in another order. */
  href: (sort: string) => string;
};

type TableProps<Row> = {
  /** What the rows are, for screen readers. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** Shown instead of a table without rows. */
  empty: string | VNode;
  sorting?: Sorting | undefined;
  /** The filters by which the rows belong to the record of the page. */
  of?: Filters | undefined;
};

type Filters = Readonly<Record<string, string | undefined>>;

const directionOf = ({ ascending, descending }: SortNames, { current }: Sorting) =>
  current === descending ? "descending" : current === ascending ? "ascending" : undefined;

const arrows = { descending: " ↓", ascending: " ↑" } as const;

function headerOf<Row>({ label, sort }: Column<Row>, sorting: Sorting | undefined) {
  if (!sort || !sorting) return label;
  const direction = directionOf(sort, sorting);
  const names = direction === "descending" ? [sort.ascending, sort.descending] : [sort.descending, sort.ascending];
  const next = names.find((name) => name !== undefined && sorting.available.includes(name));
  if (next === undefined) return label;
  return (
    <a href={sorting.href(next)}>
      {label}
      <span aria-hidden="true">{direction ? arrows[direction] : " ↕"}</span>
    </a>
  );
}

/** A table. On a narrow screen each row becomes a block with the labels of its columns. */
export function Table<Row>({ caption, columns: all, rows, rowKey, empty, sorting, of = {} }: TableProps<Row>) {
  if (rows.length === 0) return typeof empty === "string" ? <Empty title={empty} /> : empty;
  const columns = all.filter(({ filter }) => filter === undefined || of[filter] === undefined);
  return (
    <div class="scroll">
      <table>
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th
                key={column.label}
                scope="col"
                class={column.isNumber ? "number" : undefined}
                aria-sort={sorting && column.sort && directionOf(column.sort, sorting)}
              >
                {headerOf(column, sorting)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)} data-key={rowKey(row)}>
              {columns.map(({ label, cell, isNumber }) => (
                <td key={label} data-label={label} class={isNumber ? "number" : undefined}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A table of one kind of rows. */
export type Rows<Row> = {
  rows: readonly Row[];
  caption: string;
  sorting?: Sorting | undefined;
  of?: Filters | undefined;
};

/** Stands for a part of a page that could not be read. */
export const Unavailable = () => <p class="none">Not available now.</p>;

type TableSectionProps<Row> = Omit<Rows<Row>, "rows"> & {
  /** Null if they could not be read. */
  rows: readonly Row[] | null;
  title: string;
  id: string;
  Rows: ComponentType<Rows<Row>>;
  note?: ComponentChildren;
};

/** A section with a table. */
export const TableSection = <Row,>({ title, id, Rows, rows, caption, note }: TableSectionProps<Row>) => (
  <Section title={title} id={id} note={note}>
    {rows === null ? <Unavailable /> : <Rows rows={rows} caption={caption} />}
  </Section>
);

type HeadingProps = {
  /** The kind of record, with its id if the heading is a name. */
  kind?: ComponentChildren;
  children: ComponentChildren;
  /** The text that a picture beside the heading is generated from. */
  mark?: string;
  /** One sentence about the record. */
  lead?: ComponentChildren;
  actions?: ComponentChildren;
};

/** The heading of a record page. */
export const Heading = ({ kind, children, mark, lead, actions }: HeadingProps) => (
  <header class="heading">
    {kind !== undefined && <p class="kind">{kind}</p>}
    <div class="title">
      {mark !== undefined && <Mark of={mark} />}
      <h1>{children}</h1>
      {actions !== undefined && <div class="actions">{actions}</div>}
    </div>
    {lead && <p class="lead">{lead}</p>}
  </header>
);

type PagesProps = { path: string; parameters: Parameters; pagination: Pagination };

/** Links to the other pages of a list. */
export const Pages = ({ path, parameters, pagination: { next_cursor } }: PagesProps) => (
  <nav class="pages" aria-label="Pages of the list">
    {parameters.cursor !== undefined && <a href={withQuery(path, { ...parameters, cursor: undefined })}>First page</a>}
    {next_cursor !== null && <a href={withQuery(path, { ...parameters, cursor: next_cursor })}>Next page</a>}
  </nav>
);
