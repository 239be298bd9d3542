import type { ExplorerClient } from "./client";
import { recordTitle } from "./components/record-link";
import { pageOf } from "./exact-matches";
import { links } from "./links";
import type { Suggest } from "./search-box";
import { shownTexts } from "./shown-texts";

const SHOWN = 6;

/** Suggestions of the API's search: exact matches first, then records by name. */
export const suggestFrom =
  ({ search }: ExplorerClient): Suggest =>
  async (q) => {
    const { matches, results } = shownTexts(await search.find.query({ q, limit: SHOWN }), 100);
    const exact = matches.map((match) => {
      const { title, href } = pageOf(match);
      return { title, href, kind: "exact match" };
    });
    const named = results.map(({ type, id, name, service_id }) => {
      const title = recordTitle(type, id);
      return { title: name ?? service_id ?? title, kind: title, href: links[type](id) };
    });
    const distinct = new Map([...exact, ...named].map((suggestion) => [suggestion.href, suggestion]));
    return [...distinct.values()].slice(0, SHOWN);
  };
