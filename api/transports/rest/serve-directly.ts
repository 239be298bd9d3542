import type { IncomingMessage } from "node:http";
import { METHOD_NAME_ALL } from "hono/router";
import { RegExpRouter } from "hono/router/reg-exp-router";
import { SmartRouter } from "hono/router/smart-router";
import { TrieRouter } from "hono/router/trie-router";
import type { Logger } from "pino";
import { errorBody } from "../../core/error-codes";
import { Unavailable } from "../../core/errors";
import type { AnyCall } from "../../core/operation";
import { withDeadline } from "../../core/with-deadline";
import { callerFrom, originOf } from "../../http/caller";
import { requestIdOf } from "../../http/common-headers";
import { hasTag } from "../../http/etag";
import { failureOf } from "../../http/failure";
import type { ServeDirectly } from "../../http/listener";
import type { Found, ResponseCache } from "../../http/response-cache";
import { type Exchange, jsonReply, pathOf, type Reply, send } from "../../http/send";
import { TIME_LIMIT_MS, TOO_SLOW } from "../../http/time-limit";
import type { IndexHead } from "../../index/head";
import type { Context } from "../../operations/context";
import { nameOf } from "../../operations/index";
import { hasKnownLength, readIncomingBody } from "./body";
import { type Call, callOf } from "./call";
import { readQuery, rejectQuery } from "./query";
import { cacheKeyOf, isRead, type Read, readThrough } from "./read";
import { type Route, routeOf } from "./route";
import { callsByPath } from "./routes";

const replyTo = ({ headers: sent }: IncomingMessage, { response, head }: Found): Reply =>
  hasTag(sent["if-none-match"], response.etag)
    ? { status: 304, headers: response.unchangedHeaders, head }
    : { status: 200, headers: response.headers, body: response.body, head };

/** URLs that are equal after normalization. Hono handles all others. */
const PLAIN_URL = /^\/[\w/-]*(\?[\w\-.~%!$&()*+,;=:@/?]*)?$/;

/** The last Host header that is equal after normalization. Most requests have the same one, and parsing it takes time. */
let plainHost: string | undefined;

/** Whether a Host header is equal after normalization. */
function isPlainHost(host: string): boolean {
  if (host === plainHost) return true;
  const isPlain = URL.canParse(`http://${host}`) && new URL(`http://${host}`).host === host;
  if (isPlain) plainHost = host;
  return isPlain;
}

type Served = { name: string; route: Route } & ({ read: Read } | { call: Call });

/** How an operation is served; undefined if Hono does it. */
function servedOf(context: Context, cache: ResponseCache, operation: AnyCall): Served | undefined {
  const named = { name: nameOf(operation), route: routeOf(operation) };
  if (isRead(operation)) return { ...named, read: readThrough(cache, context, operation) };
  return named.route.method === "GET" ? undefined : { ...named, call: callOf(context, operation) };
}

type Match = { served: Served; parameters: Record<string, string> };

/** Finds the operation of a method and path, with the path's parameters. Hono responds to other methods of a path. */
function createRouter(context: Context, cache: ResponseCache) {
  const router = new SmartRouter<Served | undefined>({ routers: [new RegExpRouter(), new TrieRouter()] });
  for (const [path, operations] of callsByPath()) {
    for (const operation of operations)
      router.add(routeOf(operation).method, path, servedOf(context, cache, operation));
    // The first match counts, so that GET /intents/metadata is not the intent with the id "metadata".
    router.add(METHOD_NAME_ALL, path, undefined);
  }
  return (method: string, path: string): Match | undefined => {
    const [[first], stash] = router.match(method, path);
    if (!first) return undefined;
    const [served, indices] = first;
    if (!served) return undefined;
    const parameters = Object.entries(indices).map(([name, at]) => [name, typeof at === "string" ? at : stash?.[at]]);
    return { served, parameters: Object.fromEntries(parameters) };
  };
}

const queryOf = (url: string) => url.slice(pathOf(url).length + 1);

/** Reads the input of a call: its body, its headers and the path's parameters. */
async function readCallInput(request: IncomingMessage, route: Route, parameters: object) {
  const { header } = originOf(request);
  rejectQuery(queryOf(request.url ?? ""), route);
  return {
    ...(await readIncomingBody(request, route)),
    ...Object.fromEntries(Object.entries(route.headers).map(([name, field]) => [field, header(name)])),
    ...parameters,
  };
}

/** What remains of a request's time limit. */
const remainingMs = ({ start }: Exchange) => Math.max(0, TIME_LIMIT_MS - (performance.now() - start));

/**
 * Serves REST requests without Hono, whose Request and Response objects cost more than a response from the cache, or one
 * query. A known URL is served from the cache before it is parsed.
 */
export function serveDirectly(context: Context, cache: ResponseCache, log: Logger): ServeDirectly {
  const { config } = context;
  const findOperation = createRouter(context, cache);

  const failureReply = (error: unknown, requestId: string, extraHeaders: readonly string[]): Reply => {
    const isTimeout = error instanceof DOMException && error.name === "TimeoutError";
    const { status, code, message, fault, headers, details } = failureOf(isTimeout ? new Unavailable(TOO_SLOW) : error);
    if (fault) log.error({ request_id: requestId, err: error }, "failed request");
    const body = JSON.stringify(errorBody(code, message, details));
    return jsonReply({ status, headers: [...extraHeaders, ...Object.entries(headers).flat()], body });
  };

  /** Runs an operation and sends its response, or the error. `key` is the request's key in the cache. */
  const serve = async (exchange: Exchange, { served, parameters }: Match, key: string | undefined): Promise<true> => {
    const { request, requestId } = exchange;
    const { url = "", headers } = request;
    const rateLimit: string[] = [];
    let head: IndexHead | undefined;
    const onIndexHead = (indexHead: IndexHead) => {
      head = indexHead;
    };
    const respond = async (): Promise<Reply> => {
      const caller = callerFrom(originOf(request), `http://${headers.host}`, config);
      if ("read" in served) {
        const query = readQuery(queryOf(url), served.route.otherParameters);
        const sent = { ...query, ...parameters };
        return replyTo(request, await served.read({ caller, sent, url: key, onIndexHead }));
      }
      const { status, body } = await served.call({
        caller,
        readInput: () => readCallInput(request, served.route, parameters),
        onRateLimit: (header) => rateLimit.push("ratelimit", header),
        onIndexHead,
      });
      return jsonReply({ status, headers: rateLimit, body });
    };
    const ms = remainingMs(exchange);
    const responding = ms > 0 ? respond() : new Promise<never>(() => {});
    const reply = await withDeadline(responding, { ms }).catch((error: unknown) =>
      failureReply(error, requestId, rateLimit),
    );
    send(log, exchange, served.name, { ...reply, head });
    return true;
  };

  /** Serves the operation that a request is for. Returns false if Hono must handle the request. */
  const serveOperation = (exchange: Exchange, key?: string): false | Promise<true> => {
    const { method = "", url = "", headers } = exchange.request;
    if (!PLAIN_URL.test(url) || !isPlainHost(headers.host ?? "")) return false;
    const found = findOperation(method === "HEAD" ? "GET" : method, pathOf(url));
    return found ? serve(exchange, found, key) : false;
  };

  return (request, response) => {
    const { method, headers } = request;
    const exchange = { request, response, start: performance.now(), requestId: requestIdOf(headers["x-request-id"]) };
    if (method !== "GET" && method !== "HEAD") return hasKnownLength(request) && serveOperation(exchange);
    const key = cacheKeyOf(request, config);
    const found = key === undefined ? undefined : cache.find(key);
    if (found === undefined) return serveOperation(exchange, key);
    if (!(found instanceof Promise)) {
      send(log, exchange, found.response.operation, replyTo(request, found));
      return true;
    }
    const sendLater = (later: Found | undefined): boolean | Promise<boolean> => {
      if (later === undefined) return serveOperation(exchange, key);
      send(log, exchange, later.response.operation, replyTo(request, later));
      return true;
    };
    // If the revision could not be read, the read reports why.
    return found.then(sendLater, () => serveOperation(exchange, key));
  };
}
