import { and, eq, type SQLWrapper, sql } from "drizzle-orm";
import { total, type totalSubjects } from "../../ponder.schema";
import type { Selectable } from "../indexed/database";

type Subject = (typeof totalSubjects)[number];

/** The sum of the running totals of a subject, or the one with a key, as the number of rows of a list. */
const countOf = (db: Selectable, subject: Subject, key?: SQLWrapper) =>
  db
    .select({ total: sql<number>`coalesce(sum(${total.count}), 0)`.mapWith(Number) })
    .from(total)
    .where(and(eq(total.subject, subject), key && eq(total.key, sql`${key}::text`)))
    .$dynamic();

/**
 * Reads the number of rows of a list from running totals: of all rows, and of those with one filter. Undefined for other
 * filters, whose rows are counted.
 */
export const runningTotals =
  (all: Subject, byFilter: Readonly<Record<string, Subject>> = {}) =>
  (db: Selectable, filters: Readonly<Record<string, unknown>>) => {
    const [filter, ...others] = Object.keys(filters);
    if (filter === undefined) return countOf(db, all);
    const subject = others.length === 0 ? byFilter[filter] : undefined;
    return subject && countOf(db, subject, sql`${filters[filter]}`);
  };
