import type { Request } from "express";
import { query } from "./database";
import { HttpError } from "./input";

type Row = Record<string, unknown>;

type List = {
  /** The columns, which include those of `key`. */
  select: string;
  from: string;
  /** The sort key. All columns sort in the same direction. */
  key: string[];
  descending?: boolean;
  /** Values by column. Undefined values do not filter. */
  filters?: Record<string, unknown>;
  /** Other conditions, in SQL. */
  conditions?: string[];
  /** Parameters of `select` and `from`. The filters' follow. */
  values?: unknown[];
};

type Pagination = { limit: number; offset: number; count: number; next_cursor: string | null; total?: number };

function wholeNumber(name: string, value: unknown, fallback: number): number {
  if (value === undefined) return fallback;
  const number = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : Number.NaN;
  if (!Number.isSafeInteger(number)) throw new HttpError(400, `${name}: must be a whole number`);
  return number;
}

/** The page size of a request. */
function limitOf(parameters: Request["query"]): number {
  const limit = Math.min(wholeNumber("limit", parameters.limit, 50), 100);
  if (limit < 1) throw new HttpError(400, "limit: must be a whole number from 1 to 100");
  return limit;
}

const encodeCursor = (key: unknown[]) => Buffer.from(JSON.stringify(key)).toString("base64url");

function decodeCursor(cursor: unknown, length: number): string[] {
  try {
    const key: unknown = JSON.parse(Buffer.from(String(cursor), "base64url").toString());
    if (Array.isArray(key) && key.length === length) return key.map(String);
  } catch {
    // Not JSON.
  }
  throw new HttpError(400, "cursor: is not valid for this list");
}

/** The name of a column in a row: `i.intent_id` is `intent_id`. */
const nameOf = (column: string) => column.slice(column.indexOf(".") + 1);

/** Reads one page of a list, and the number of all rows if `total` is true. */
export async function readPage<Item extends Row>(
  parameters: Request["query"],
  { select, from, key, descending = false, filters = {}, conditions = [], values = [] }: List,
): Promise<{ rows: Item[]; pagination: Pagination }> {
  const { cursor, total } = parameters;
  const limit = limitOf(parameters);
  const offset = wholeNumber("offset", parameters.offset, 0);
  if (cursor !== undefined && parameters.offset !== undefined)
    throw new HttpError(400, "cursor: can't be used together with offset");
  if (total !== undefined && total !== "true" && total !== "false")
    throw new HttpError(400, "total: must be true or false");

  const bound = [...values];
  const bind = (value: unknown) => `$${bound.push(value)}`;
  const where = [...conditions];
  for (const [column, value] of Object.entries(filters))
    if (value !== undefined) where.push(`${column} = ${bind(value)}`);
  const whereSql = (all: string[]) => (all.length > 0 ? `WHERE ${all.join(" AND ")}` : "");
  const countSql = `SELECT count(*)::int AS total FROM ${from} ${whereSql(where)}`;
  const counting = total === "true" ? query<{ total: number }>(countSql, [...bound]) : undefined;

  if (cursor !== undefined) {
    const last = decodeCursor(cursor, key.length).map(bind);
    where.push(`(${key.join(", ")}) ${descending ? "<" : ">"} (${last.join(", ")})`);
  }
  const order = key.map((column) => (descending ? `${column} DESC` : column)).join(", ");
  const pageSql = `SELECT ${select} FROM ${from} ${whereSql(where)} ORDER BY ${order} LIMIT ${limit + 1} OFFSET ${offset}`;
  const [found, counted] = await Promise.all([query<Item>(pageSql, bound), counting]);

  const rows = found.slice(0, limit);
  const last = found.length > limit ? rows.at(-1) : undefined;
  return {
    rows,
    pagination: {
      limit,
      offset,
      count: rows.length,
      next_cursor: last ? encodeCursor(key.map((column) => last[nameOf(column)])) : null,
      ...(counted && { total: counted[0]?.total ?? 0 }),
    },
  };
}
