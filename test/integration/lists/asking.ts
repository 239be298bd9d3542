import { allOperations } from "../../../api/operations/index";
import { type Route, routeOf } from "../../../api/transports/rest/route";

/** An element of a list, as it comes over the wire. */
export type Item = Readonly<Record<string, unknown>>;

/** The parameters of a request, those of the path included. */
export type Parameters = Readonly<Record<string, string>>;

export type Pagination = { limit: number; offset: number; count: number; next_cursor: string | null; total?: number };

export type Page = { items: Item[]; pagination: Pagination };

/** A list that the service serves. */
export type List = {
  /** As operations are named: `agents.list`. */
  name: string;
  path: string;
  /** What has to be given: the parameters of the path, and filters that are not optional. */
  required: string[];
  /** Filters that may be given. */
  filters: string[];
};

const paging = new Set(["limit", "offset", "cursor", "total"]);

/** Lists whose rows are published and not indexed. */
const published = new Set(["schemas.list"]);

/** Every list of what is indexed: what can be asked for with a cursor. */
export const lists: List[] = allOperations
  .filter(({ name, operation }) => "cursor" in operation.input.shape && !published.has(name))
  .map(({ name, operation }) => {
    const { path, pathParameters, otherParameters } = routeOf(operation);
    const filters = [...pathParameters, ...otherParameters].filter((filter) => !paging.has(filter));
    const isRequired = (filter: string) => !operation.input.shape[filter]?.safeParse(undefined).success;
    return {
      name,
      path,
      required: filters.filter(isRequired),
      filters: filters.filter((filter) => !isRequired(filter)),
    };
  });

/** The address of a request: parameters that the path names are put there, the others are the query. */
export function addressOf(path: Route["path"], parameters: Parameters): string {
  const query = new URLSearchParams(parameters);
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    query.delete(name);
    return parameters[name] ?? "";
  });
  return query.size > 0 ? `${filled}?${query}` : filled;
}

/** Asks for JSON that must be there. */
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

/** All of a list that has at most as many items as a page can have. */
export async function askAll(apiUrl: string, list: Pick<List, "path">, parameters: Parameters = {}): Promise<Item[]> {
  const { items, pagination } = await askPage(apiUrl, list, { ...parameters, limit: "100" });
  if (pagination.next_cursor !== null) throw new Error(`${list.path} has more than 100 items`);
  return items;
}

/** The pages of a list from the first to the last, each asked for with the cursor of the one before. */
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

/** The pages of a list by offset, as many of this size as it takes to read `count` items. */
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
