import { inputJsonSchema } from "../../../api/core/json-schema";
import type { AnyOperation } from "../../../api/core/operation";
import { allOperations } from "../../../api/operations/index";
import { type Route, routeOf } from "../../../api/transports/rest/route";

/** An element of a list. */
export type Item = Readonly<Record<string, unknown>>;

/** The path and query parameters of a request. */
export type Parameters = Readonly<Record<string, string>>;

export type Pagination = { limit: number; offset: number; count: number; next_cursor: string | null; total?: number };

export type Page = { items: Item[]; pagination: Pagination };

export type List = {
  /** The operation, such as `agents.list`. */
  name: string;
  path: string;
  /** Path parameters and required filters. */
  required: string[];
  /** Optional filters. */
  filters: string[];
  /** The names of its orders, the default first. Empty if it has one only. */
  sorts: string[];
};

const paging = new Set(["limit", "offset", "cursor", "total", "sort"]);

/** The choices of a parameter. */
const choicesOf = (operation: AnyOperation, name: string): string[] => {
  const { properties = {} } = inputJsonSchema(operation.input) as { properties?: Record<string, { enum?: string[] }> };
  return properties[name]?.enum ?? [];
};

/** Lists from the store instead of the index, and the search, whose results have several types. */
const otherLists = new Set(["schemas.list", "search.find"]);

/** Every list from the index: the operations with a cursor. */
export const lists: List[] = allOperations
  .filter(({ name, operation }) => "cursor" in operation.input.shape && !otherLists.has(name))
  .map(({ name, operation }) => {
    const { path, pathParameters, otherParameters } = routeOf(operation);
    const filters = [...pathParameters, ...otherParameters].filter((filter) => !paging.has(filter));
    const isRequired = (filter: string) => !operation.input.shape[filter]?.safeParse(undefined).success;
    return {
      name,
      path,
      required: filters.filter(isRequired),
      filters: filters.filter((filter) => !isRequired(filter)),
      sorts: choicesOf(operation, "sort"),
    };
  });

/** The path and query of a request. */
export function addressOf(path: Route["path"], parameters: Parameters): string {
  const query = new URLSearchParams(parameters);
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    query.delete(name);
    return parameters[name] ?? "";
  });
  return query.size > 0 ? `${filled}?${query}` : filled;
}

/** Requests JSON. Throws unless the status is 200. */
export async function ask<Answer = Item>(apiUrl: string, address: string): Promise<Answer> {
  const response = await fetch(`${apiUrl}${address}`);
  const body = await response.text();
  if (response.status !== 200) throw new Error(`${address}: ${response.status} ${body}`);
  return JSON.parse(body) as Answer;
}

export async function askPage(apiUrl: string, { path }: Pick<List, "path">, parameters: Parameters): Promise<Page> {
  const body = await ask<Record<string, unknown>>(apiUrl, addressOf(path, parameters));
  const items = Object.values(body).find(Array.isArray) as Item[];
  return { items, pagination: body.pagination as Pagination };
}

/** All items of a list with at most 100. */
export async function askAll(apiUrl: string, list: Pick<List, "path">, parameters: Parameters = {}): Promise<Item[]> {
  const { items, pagination } = await askPage(apiUrl, list, { ...parameters, limit: "100" });
  if (pagination.next_cursor !== null) throw new Error(`${list.path} has more than 100 items`);
  return items;
}

/** All pages of a list, by cursor. */
export async function pagesByCursor(apiUrl: string, list: List, parameters: Parameters): Promise<Page[]> {
  const pages: Page[] = [];
  let cursor: string | null = null;
  do {
    const page: Page = await askPage(apiUrl, list, { ...parameters, ...(cursor !== null && { cursor }) });
    pages.push(page);
    cursor = page.pagination.next_cursor;
  } while (cursor !== null);
  return pages;
}

/** The pages of a list by offset, up to `count` items. */
export async function pagesByOffset(
  apiUrl: string,
  list: List,
  parameters: Parameters,
  { size, count }: { size: number; count: number },
): Promise<Page[]> {
  const pages: Page[] = [];
  for (let offset = 0; offset < Math.max(count, 1); offset += size)
    pages.push(await askPage(apiUrl, list, { ...parameters, limit: String(size), offset: String(offset) }));
  return pages;
}
