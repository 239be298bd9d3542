import { type Column, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { BadInput } from "./errors";
import { time } from "./inputs";

/** The filters of a list by the time at which its rows were, for example, "submitted". */
export const timeRange = (done: string) => ({
  from: time.optional().openapi({ description: `Only those ${done} at this time or later, in unix seconds.` }),
  to: time.optional().openapi({ description: `Only those ${done} before this time, in unix seconds.` }),
});

type Range<Time> = { from?: Time | undefined; to?: Time | undefined };

/** Throws {@link BadInput} if a range ends before it begins. */
export function requireRange({ from, to }: Range<bigint>): void {
  if (from !== undefined && to !== undefined && from > to) throw new BadInput("from: must not be later than to");
}

/** More than any id. */
const NO_ID = sql.raw(String(2n ** 256n));

/**
 * The conditions of a time range on a table whose ids ascend with time. They are bounds of the id, so that every index that
 * ends with the id serves them. The table has an index on the time and the id.
 */
export function idsWithin(
  table: PgTable,
  id: Column,
  at: Column,
  { from, to }: Range<SQLWrapper>,
): (SQL | undefined)[] {
  const firstSince = (time: SQLWrapper) =>
    sql`(SELECT ${id} FROM ${table} WHERE ${at} >= ${time} ORDER BY ${at}, ${id} LIMIT 1)`;
  return [from && sql`${id} >= ${firstSince(from)}`, to && sql`${id} < coalesce(${firstSince(to)}, ${NO_ID})`];
}
