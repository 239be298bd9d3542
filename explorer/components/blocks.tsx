import type { ComponentChildren, ComponentType } from "preact";
import type { Pagination } from "../../client/src/api";
import { withQuery } from "../links";
import type { Parameters } from "../page";

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

type SectionProps = {
  title: string;
  children: ComponentChildren;
  note?: ComponentChildren;
  id?: string | undefined;
};

export const Section = ({ title, children, note, id }: SectionProps) => (
  <section class="card" id={id}>
    <h2>{title}</h2>
    {note !== undefined && <p class="note">{note}</p>}
    {children}
  </section>
);

export type Column<Row> = {
  label: string;
  cell: (row: Row) => ComponentChildren;
  isNumber?: boolean;
};

type TableProps<Row> = {
  /** What the rows are, for screen readers. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  empty: string;
};

/** A table. On a narrow screen each row becomes a block with the labels of its columns. */
export function Table<Row>({ caption, columns, rows, rowKey, empty }: TableProps<Row>) {
  if (rows.length === 0) return <p class="none">{empty}</p>;
  return (
    <table>
      <caption class="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ label, isNumber }) => (
            <th key={label} scope="col" class={isNumber ? "number" : undefined}>
              {label}
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
  );
}

/** A table of one kind of rows. */
export type Rows<Row> = { rows: readonly Row[]; caption: string };

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
  kind: string;
  children: ComponentChildren;
};

/** The heading of a record page. */
export const Heading = ({ kind, children }: HeadingProps) => (
  <header class="heading">
    <p class="kind">{kind}</p>
    <h1>{children}</h1>
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
