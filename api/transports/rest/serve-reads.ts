import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { RegExpRouter } from "hono/router/reg-exp-router";
import { SmartRouter } from "hono/router/smart-router";
import { TrieRouter } from "hono/router/trie-router";
import type { Logger } from "pino";
import { Unavailable } from "../../core/errors";
import { withDeadline } from "../../core/with-deadline";
import { callerFrom } from "../../http/caller";
import { EXPOSED_HEADERS } from "../../http/cors";
import { hasTag } from "../../http/etag";
import { failureOf } from "../../http/failure";
import { indexHeaders } from "../../http/index-headers";
import type { ServeDirectly } from "../../http/listener";
import { logRequest } from "../../http/log";
import type { Found, ResponseCache } from "../../http/response-cache";
import { TIME_LIMIT_MS, TOO_SLOW } from "../../http/time-limit";
import type { IndexHead } from "../../index/head";
import type { Context } from "../../operations/context";
import { readQuery } from "./query";
import { cacheKeyOf, isRead, JSON_TYPE, type Read, readThrough } from "./read";
import { type Route, routeOf } from "./route";
import { callsByPath } from "./routes";

/** The client's request id if it is valid, or a new one. The same rule as Hono's middleware. */
const requestIdOf = (sent: string | string[] | undefined) =>
  typeof sent === "string" && sent !== "" && sent.length <= 255 && !/[^\w\-=]/.test(sent) ? sent : randomUUID();

const corsHeaders = ["access-control-allow-origin", "*", "access-control-expose-headers", EXPOSED_HEADERS.join(",")];

/** A request, its arrival and its id. */
type Exchange = { request: IncomingMessage; response: ServerResponse; start: number; requestId: string };

type Reply = { status: number; headers: readonly string[]; body?: string | Uint8Array; head: IndexHead | undefined };

const pathOf = (url: string) => {
  const queryStart = url.indexOf("?");
  return queryStart < 0 ? url : url.slice(0, queryStart);
};

function send(
  log: Logger,
  { request, response, start, requestId }: Exchange,
  { status, headers, body, head }: Reply,
): void {
  const { method = "", url = "" } = request;
  response.writeHead(status, [
    ...headers,
    ...corsHeaders,
    ...["x-request-id", requestId],
    ...(head ? indexHeaders(head).flat() : []),
  ]);
  response.end(method === "HEAD" ? undefined : body);
  logRequest(log, { requestId, method, path: pathOf(url), status, start });
}

const replyFrom = ({ headers: sent }: IncomingMessage, { response, head }: Found): Reply =>
  hasTag(sent["if-none-match"], response.etag)
    ? { status: 304, headers: response.unchangedHeaders, head }
    : { status: 200, headers: response.headers, body: response.body, head };

/** URLs that are equal after normalization. Hono handles all others. */
const PLAIN_URL = /^\/[\w/-]*(\?[\w\-.~%!$&()*+,;=:@/?]*)?$/;

/** The same for Host headers. */
const isPlainHost = (host: string) => URL.canParse(`http://${host}`) && new URL(`http://${host}`).host === host;

type ReadRoute = { read: Read; route: Route };

/** Finds the read at a path, with the path's parameters. */
function readRouter(context: Context, cache: ResponseCache) {
  const router = new SmartRouter<ReadRoute>({ routers: [new RegExpRouter(), new TrieRouter()] });
  for (const [path, operations] of callsByPath())
    for (const operation of operations)
      if (isRead(operation))
        router.add("GET", path, { read: readThrough(cache, context, operation), route: routeOf(operation) });
  return (path: string) => {
    const [[first], stash] = router.match("GET", path);
    if (!first) return undefined;
    const [found, indices] = first;
    const parameters = Object.entries(indices).map(([name, at]) => [name, typeof at === "string" ? at : stash?.[at]]);
    return { ...found, parameters: Object.fromEntries(parameters) as Record<string, string> };
  };
}

/**
 * Responds to reads without Hono, whose Request and Response objects cost more than a response from the cache, or one query.
 * A known URL is served from the cache before it is parsed.
 */
export function serveReads(context: Context, cache: ResponseCache, log: Logger): ServeDirectly {
  const { config } = context;
  const findRead = readRouter(context, cache);

  const sendFailure = (exchange: Exchange, error: unknown, head: IndexHead | undefined) => {
    const { status, message, fault, headers } = failureOf(error);
    if (fault) log.error({ request_id: exchange.requestId, err: error }, "failed request");
    const body = JSON.stringify({ error: message });
    const length = String(Buffer.byteLength(body));
    const all = ["content-type", JSON_TYPE, "content-length", length, ...Object.entries(headers).flat()];
    send(log, exchange, { status, headers: all, body, head });
  };

  /** Computes a response, which may be in the cache under another URL. Returns false if the URL is not one of a read. */
  const serveRead = (exchange: Exchange, key: string | undefined): boolean | Promise<boolean> => {
    const { url = "", headers, socket } = exchange.request;
    const { host = "" } = headers;
    if (!PLAIN_URL.test(url) || !isPlainHost(host)) return false;
    const path = pathOf(url);
    const found = findRead(path);
    if (!found) return false;
    const { read, route, parameters } = found;
    let head: IndexHead | undefined;
    const respond = async () => {
      const header = (name: string) => {
        const value = headers[name];
        return Array.isArray(value) ? value.join(", ") : value;
      };
      const reading = read({
        caller: callerFrom({ protocol: "http", host, header, socket }, config),
        sent: { ...readQuery(url.slice(path.length + 1), route.otherParameters), ...parameters },
        url: key,
        onIndexHead(indexHead) {
          head = indexHead;
        },
      });
      return replyFrom(exchange.request, await withDeadline(reading, { ms: TIME_LIMIT_MS }));
    };
    return respond().then(
      (reply) => {
        send(log, exchange, { ...reply, head });
        return true;
      },
      (error: unknown) => {
        const isTimeout = error instanceof DOMException && error.name === "TimeoutError";
        sendFailure(exchange, isTimeout ? new Unavailable(TOO_SLOW) : error, head);
        return true;
      },
    );
  };

  return (request, response) => {
    const { method, headers } = request;
    if (method !== "GET" && method !== "HEAD") return false;
    const exchange = { request, response, start: performance.now(), requestId: requestIdOf(headers["x-request-id"]) };
    const key = cacheKeyOf(request, config);
    const found = key === undefined ? undefined : cache.find(key);
    if (found === undefined) return serveRead(exchange, key);
    if (!(found instanceof Promise)) {
      send(log, exchange, replyFrom(request, found));
      return true;
    }
    const sendLater = (later: Found | undefined): boolean | Promise<boolean> => {
      if (later === undefined) return serveRead(exchange, key);
      send(log, exchange, replyFrom(request, later));
      return true;
    };
    // If the revision could not be read, the read reports why.
    return found.then(sendLater, () => serveRead(exchange, key));
  };
}
