import { getTableColumns } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import type { SortColumn } from "./list-queries";

// The orders of lists whose rows have a place in time.

type RowOf<Table extends PgTable> = Table["$inferSelect"];

/** The columns that lists can be sorted by. */
type Key<Table extends PgTable> = {
  [Name in keyof RowOf<Table>]: RowOf<Table>[Name] extends bigint | number | string ? Name : never;
}[keyof RowOf<Table>];

const sortedBy = <Table extends PgTable>(
  table: Table,
  keys: readonly Key<Table>[],
  descending: boolean,
): SortColumn<RowOf<Table>>[] => {
  const columns: Readonly<Record<string, PgColumn>> = getTableColumns(table);
  return keys.flatMap((key) => {
    const column = columns[String(key)];
    return column ? { column, descending, of: (row: RowOf<Table>) => row[key] as bigint | number | string } : [];
  });
};

/** The orders of a list that is newest first by default, by columns that ascend with time. */
export const newestFirst = <Table extends PgTable>(table: Table, ...keys: readonly Key<Table>[]) => ({
  newest: sortedBy(table, keys, true),
  oldest: sortedBy(table, keys, false),
});

/** The same for a list that is oldest first by default. */
export const oldestFirst = <Table extends PgTable>(table: Table, ...keys: readonly Key<Table>[]) => ({
  oldest: sortedBy(table, keys, false),
  newest: sortedBy(table, keys, true),
});
