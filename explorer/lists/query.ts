import { withQuery } from "../links";
import type { Parameters } from "../page";

// A list's address has the parameters of the API, apart from days in place of unix seconds, and the way back.

/** A filter of a list, named as in the API. */
export type Filter = { name: string; label: string } & (
  | { kind: "account" | "token" | "hash" | "text" | "from" | "to" }
  | { kind: "record"; record: "agent" | "intent" | "merchant" | "service" | "receipt" }
  | { kind: "choice"; options: readonly (readonly [value: string, label: string])[] }
);

/** An order of a list. Some exist only with a filter. */
export type Sort = { name: string; label: string; requires?: string };

export type ListQuery = {
  filters: readonly Filter[];
  /** The first one is the default. */
  sorts: readonly Sort[];
  /** The filters of an address without any. Only of lists that the API serves with a filter at least. */
  usual?: Parameters;
};

export const pageSizes = ["25", "50", "100"] as const;

const DEFAULT_SIZE = pageSizes[0];

/** The parameters that address a page of a list. The others are filters. */
const pageNames = ["sort", "limit", "cursor", "trail"] as const;

/** The parameters of a list that have a value. Forms also send empty ones. */
export function knownParameters({ filters }: ListQuery, parameters: Parameters): Parameters {
  const names = [...filters.map(({ name }) => name), ...pageNames];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = parameters[name]?.trim();
      return value ? [[name, value]] : [];
    }),
  );
}

const DAY_SECONDS = 86_400;

/** The start of a day, such as "2026-11-18". Undefined for all other texts. */
export function secondsOfDay(text: string): number | undefined {
  const milliseconds = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return Number.isNaN(milliseconds) ? undefined : milliseconds / 1000;
}

/** A filter as the API has it. Of a wrong value, the API says what is wrong. */
function apiValue({ kind }: Filter, text: string): string {
  const seconds = kind === "from" || kind === "to" ? secondsOfDay(text) : undefined;
  if (seconds === undefined) return text;
  // The last day is part of the range.
  return String(kind === "to" ? seconds + DAY_SECONDS : seconds);
}

/** The filters that are set, as the API has them. */
export const filterInput = ({ filters }: ListQuery, parameters: Parameters): Parameters =>
  Object.fromEntries(
    filters.flatMap((filter) => {
      const text = parameters[filter.name];
      return text === undefined ? [] : [[filter.name, apiValue(filter, text)]];
    }),
  );

/** The input of the API's list. */
export const listInput = (query: ListQuery, parameters: Parameters): Parameters => ({
  ...filterInput(query, parameters),
  ...(parameters.sort !== undefined && { sort: parameters.sort }),
  limit: parameters.limit ?? DEFAULT_SIZE,
  ...(parameters.cursor !== undefined && { cursor: parameters.cursor }),
});

/** The orders that the list can have now. */
export const availableSorts = ({ sorts }: ListQuery, parameters: Parameters): readonly string[] =>
  sorts.filter(({ requires }) => requires === undefined || parameters[requires] !== undefined).map(({ name }) => name);

/** The same list from its start. */
export const fromStart = (parameters: Parameters, changed: Readonly<Record<string, string | undefined>> = {}) => ({
  ...parameters,
  cursor: undefined,
  trail: undefined,
  ...changed,
});

/** How many pages lead back. From older ones, a reader goes to the first page. */
const MAX_TRAIL = 20;

/** The cursors between the first page and this one. */
const trailOf = ({ trail }: Parameters) => trail?.split(".") ?? [];

const trailText = (cursors: readonly string[]) => (cursors.length === 0 ? undefined : cursors.join("."));

/** The address of the page after this one. The API has no cursors that lead back, so the address remembers the last ones. */
export function nextPage(path: string, parameters: Parameters, nextCursor: string): string {
  const visited = [...trailOf(parameters), ...(parameters.cursor === undefined ? [] : [parameters.cursor])];
  return withQuery(path, { ...parameters, cursor: nextCursor, trail: trailText(visited.slice(-MAX_TRAIL)) });
}

/** The address of the page before this one. */
export function previousPage(path: string, parameters: Parameters): string {
  const trail = trailOf(parameters);
  return withQuery(path, { ...parameters, cursor: trail.at(-1), trail: trailText(trail.slice(0, -1)) });
}

/** The number of the page, from 1. Undefined if the address does not tell. */
export function pageNumber(parameters: Parameters): number | undefined {
  if (parameters.cursor === undefined) return 1;
  const { length } = trailOf(parameters);
  return length < MAX_TRAIL ? length + 2 : undefined;
}

export const sizeOf = ({ limit = DEFAULT_SIZE }: Parameters) => limit;
