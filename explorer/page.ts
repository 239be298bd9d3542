import type { ComponentType } from "preact";
import type { EventFilter, StreamedEvent, Token } from "../client/src/api";
import { type Names, readNames, recordsIn } from "./names";
import type { OnFailure, Reads } from "./reads";
import { shownTexts } from "./shown-texts";
import type { Words } from "./social/words";
import { readTokens, tokensIn } from "./tokens";

/** The parameters of a page: from its path, and from the query of its address. */
export type Parameters = Readonly<Record<string, string>>;

/** A protocol event that a page shows. */
export type LiveEvent = Pick<
  StreamedEvent,
  "id" | "block_number" | "timestamp" | "tx_hash" | "summary" | "finality"
> & {
  /** Whether a reorg has removed it. */
  isReverted: boolean;
};

/** The parts of a page that change without a new load. */
export type Live = {
  /** Newest first. Null if they could not be read. */
  events: readonly LiveEvent[] | null;
  /** Whether this runs in a browser with JavaScript. */
  isInteractive: boolean;
};

export type ViewProps<Data> = { data: Data; live: Live; parameters: Parameters };

/** How a page is kept up to date. It is loaded again from time to time, and after each event that concerns it. */
export type Subscription = {
  /** The events that concern it. Undefined for none. */
  filter?: EventFilter;
};

type Definition<Data> = {
  /** The path, with `:name` for parameters. */
  path: string;
  title: (data: Data, parameters: Parameters, words: Words) => string;
  /** What the page says, in a sentence or two of plain text, for search engines and messengers. */
  description?: (data: Data, words: Words) => string;
  load: (api: Reads, parameters: Parameters, onFailure: OnFailure) => Promise<Data>;
  View: ComponentType<ViewProps<Data>>;
  /** The status of the response. Default: 200. */
  status?: (data: Data) => number;
  /** Undefined if the page does not change. */
  subscription?: (data: Data, parameters: Parameters) => Subscription | undefined;
  /** Whether its texts are shown in full. Only for texts whose length the API limits. */
  keepsLongTexts?: true;
  /** Tokens of its amounts that its data does not name. */
  tokens?: readonly string[];
};

/** The data of a page, the tokens of its amounts, and the names of the records in it. */
type Loaded = { data: unknown; tokens: readonly Token[]; names: Names };

/** A page whose data has any type. Only its own `load` creates the data that its other functions receive. */
export type Page = Pick<Definition<unknown>, "path" | "title" | "description" | "View" | "status" | "subscription"> & {
  load: (api: Reads, parameters: Parameters, onFailure: OnFailure) => Promise<Loaded>;
};

/** Defines a page, and erases the type of its data. */
export function page<Data>({ load, keepsLongTexts, tokens: others = [], ...definition }: Definition<Data>): Page {
  const loadAll: Page["load"] = async (api, parameters, onFailure) => {
    const data = shownTexts(await load(api, parameters, onFailure), keepsLongTexts && Number.POSITIVE_INFINITY);
    const [tokens, names] = await Promise.all([
      readTokens(api, [...others, ...tokensIn(data)], onFailure),
      readNames(api, recordsIn(data), onFailure),
    ]);
    return { data, tokens, names: shownTexts(names) };
  };
  return { ...definition, load: loadAll } as unknown as Page;
}

/** A page that is shown: its address, its data, its events, and the index head before these were read. */
export type PageState = Loaded &
  Pick<Live, "events"> & {
    path: string;
    parameters: Parameters;
    block: string;
    /** When it was rendered, in unix seconds. */
    now: number;
  };

/** Thrown by `load` if another address has the page. */
export class Redirect extends Error {
  override name = "Redirect";

  constructor(readonly location: string) {
    super(`See ${location}`);
  }
}

/**
 * The parameters of a path that matches a pattern.
 *
 * @example
 * matchPath("/explore/agents/:id", "/explore/agents/7") // { id: "7" }
 */
export function matchPath(pattern: string, path: string): Parameters | undefined {
  const [expected, parts] = [pattern.split("/"), path.split("/")];
  if (expected.length !== parts.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, name] of expected.entries()) {
    const part = parts[index] ?? "";
    if (!name.startsWith(":")) {
      if (name !== part) return undefined;
    } else {
      if (part === "") return undefined;
      try {
        parameters[name.slice(1)] = decodeURIComponent(part);
      } catch {
        return undefined;
      }
    }
  }
  return parameters;
}
