import { setTimeout } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { addressOf } from "../lists/asking";
import { casesOf, type Listing } from "./cases";
import type { Request } from "./examples";

/** The part of an answer that must be equal. */
type Answer = { status: number; body: unknown; cursor: string | null };

const PAGE = "2";

/** How often, and how much later, a difference is checked again: a block may be indexed between the two requests. */
const RETRIES = 3;
const RETRY_MS = 400;
/** A token may be pending until the next minute: each client may have a limited number of contracts read per minute. */
const PENDING_RETRIES = 160;

/** Takes the cursor out of a list's answer. Servers sign and encode cursors differently. */
function withoutCursor(body: unknown): Pick<Answer, "body" | "cursor"> {
  if (typeof body !== "object" || body === null || !("pagination" in body)) return { body, cursor: null };
  const { next_cursor, ...pagination } = body.pagination as { next_cursor: string | null };
  return { body: { ...body, pagination: { ...pagination, has_next: next_cursor !== null } }, cursor: next_cursor };
}

/** Ponder finalizes blocks later while it follows the chain than when it starts, so two indexes may differ in it. */
const FINALITY = /"finality":"(pending|finalized)"/g;

/** Sends a request to one of the servers. Documents have URLs of their server, and metadata URIs that of the first. */
async function ask(baseUrl: string, servers: readonly string[], { method, path, body }: Request): Promise<Answer> {
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
  });
  const text = servers.reduce((answer, server) => answer.replaceAll(server, ""), await response.text());
  const { status } = response;
  // Of an invalid input only the status is compared.
  return { status, ...withoutCursor(status === 400 ? null : JSON.parse(text.replace(FINALITY, '"finality":null'))) };
}

type Outcome = { difference: string | undefined; isPending: boolean; cursors: [string | null, string | null] };

/** Compares the answers to one request, which may have another cursor for each server. */
async function compareOnce(servers: [string, string], requests: [Request, Request]): Promise<Outcome> {
  const [one, other] = await Promise.all([
    ask(servers[0], servers, requests[0]),
    ask(servers[1], servers, requests[1]),
  ]);
  const isSame = one.status === other.status && isDeepStrictEqual(one.body, other.body);
  const { method, path, body } = requests[0];
  const show = ({ status, body: answered }: Answer) => `${status} ${JSON.stringify(answered)}`;
  const sent = body ? ` ${JSON.stringify(body)}` : "";
  return {
    difference: isSame ? undefined : `${method} ${path}${sent}\n  ${show(one)}\n  ${show(other)}`,
    isPending: [one, other].some((answer) => show(answer).includes('"source":"pending"')),
    cursors: [one.cursor, other.cursor],
  };
}

async function compare(servers: [string, string], requests: [Request, Request]): Promise<Outcome> {
  let outcome = await compareOnce(servers, requests);
  for (let retry = 0; outcome.difference && retry < (outcome.isPending ? PENDING_RETRIES : RETRIES); retry++) {
    await setTimeout(RETRY_MS);
    outcome = await compareOnce(servers, requests);
  }
  return outcome;
}

/** How many comparisons run at a time. */
const PARALLEL = 8;

/** Runs a task for each item, several at a time. Returns the results in the order of the items. */
async function inParallel<Item, Result>(
  items: readonly Item[],
  task: (item: Item) => Promise<Result>,
  parallel = PARALLEL,
) {
  const results: Result[] = [];
  const left = items.entries();
  const work = async () => {
    for (const [index, item] of left) results[index] = await task(item);
  };
  await Promise.all(Array.from({ length: parallel }, work));
  return results;
}

/** Compares all pages of a list, each server with its own cursors. Returns the first difference. */
async function compareListing(servers: [string, string], { path, parameters }: Listing) {
  let compared = 0;
  const page = (cursor: string | null): Request => ({
    method: "GET",
    path: addressOf(path, { ...parameters, limit: PAGE, ...(cursor !== null && { cursor }) }),
  });
  const first: Request = { method: "GET", path: addressOf(path, parameters) };
  let { difference } = await compare(servers, [first, first]);
  let cursors: Outcome["cursors"] = [null, null];
  do {
    if (difference) break;
    ({ difference, cursors } = await compare(servers, [page(cursors[0]), page(cursors[1])]));
    compared++;
  } while (cursors[0] !== null);
  return { difference, compared: compared + 1 };
}

type Options = {
  /** Further requests. */
  more?: readonly Request[];
  /** Paths that are not compared. */
  except?: readonly string[];
  /** Default: all. Must include the routes of the writes. */
  routes?: ReadonlySet<string>;
};

/** Requests all or some routes from two servers of the same data. Returns the differences and the number of compared answers. */
export async function compareServers(
  one: string,
  other: string,
  { more = [], except = [], routes }: Options = {},
): Promise<{ differences: string[]; compared: number }> {
  const servers: [string, string] = [one, other];
  const cases = await casesOf(one, routes);
  const { listings } = cases;
  const requests = [...cases.requests, ...more].filter(({ path }) => !except.includes(path));
  const compareBoth = (request: Request) => compare(servers, [request, request]);
  const outcomes = [
    ...[...(await inParallel(requests, compareBoth)), ...(await inParallel(cases.writes, compareBoth, 1))].map(
      ({ difference }) => ({ difference, compared: 1 }),
    ),
    ...(await inParallel(listings, (listing) => compareListing(servers, listing))),
  ];
  return {
    differences: outcomes.flatMap(({ difference }) => difference ?? []),
    compared: outcomes.reduce((sum, outcome) => sum + outcome.compared, 0),
  };
}
