import type { IncomingMessage } from "node:http";
import { RegExpRouter } from "hono/router/reg-exp-router";
import { SmartRouter } from "hono/router/smart-router";
import { TrieRouter } from "hono/router/trie-router";
import type { Logger } from "pino";
import { Unavailable } from "../../core/errors";
import { withDeadline } from "../../core/with-deadline";
import { callerFrom, originOf } from "../../http/caller";
import { requestIdOf } from "../../http/common-headers";
import { hasTag } from "../../http/etag";
import { failureOf } from "../../http/failure";
import type { ServeDirectly } from "../../http/listener";
import type { Found, ResponseCache } from "../../http/response-cache";
import { type Exchange, pathOf, send, sendJson } from "../../http/send";
import { TIME_LIMIT_MS, TOO_SLOW } from "../../http/time-limit";
import type { IndexHead } from "../../index/head";
import type { Context } from "../../operations/context";
import { readQuery } from "./query";
import { cacheKeyOf, isRead, type Read, readThrough } from "./read";
import { type Route, routeOf } from "./route";
import { callsByPath } from "./routes";

const replyTo = ({ headers: sent }: IncomingMessage, { response, head }: Found) =>
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
    sendJson(log, exchange, { status, headers: Object.entries(headers).flat(), body, head });
  };

  /** Computes a response, which may be in the cache under another URL. Returns false if the URL is not one of a read. */
  const serveRead = (exchange: Exchange, key: string | undefined): boolean | Promise<boolean> => {
    const { url = "", headers } = exchange.request;
    const { host = "" } = headers;
    if (!PLAIN_URL.test(url) || !isPlainHost(host)) return false;
    const path = pathOf(url);
    const found = findRead(path);
    if (!found) return false;
    const { read, route, parameters } = found;
    let head: IndexHead | undefined;
    const respond = async () => {
      const reading = read({
        caller: callerFrom(originOf(exchange.request), `http://${host}`, config),
        sent: { ...readQuery(url.slice(path.length + 1), route.otherParameters), ...parameters },
        url: key,
        onIndexHead(indexHead) {
          head = indexHead;
        },
      });
      return replyTo(exchange.request, await withDeadline(reading, { ms: TIME_LIMIT_MS }));
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
      send(log, exchange, replyTo(request, found));
      return true;
    }
    const sendLater = (later: Found | undefined): boolean | Promise<boolean> => {
      if (later === undefined) return serveRead(exchange, key);
      send(log, exchange, replyTo(request, later));
      return true;
    };
    // If the revision could not be read, the read reports why.
    return found.then(sendLater, () => serveRead(exchange, key));
  };
}
