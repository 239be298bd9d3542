import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger } from "pino";
import type { Config } from "../core/context";
import { EXPOSED_HEADERS } from "./cors";
import { hasTag } from "./etag";
import { indexHeaders } from "./index-headers";
import { logRequest } from "./log";
import { NO_SNIFF } from "./no-sniff";
import type { Found, ResponseCache } from "./response-cache";

const MAX_URL_CHARACTERS = 2_048;

/**
 * The key of a request in the cache: its URL, and everything else that the public base URL depends on. Undefined for URLs
 * that are too long to be kept.
 */
export function cacheKeyOf(
  { url = "", headers }: Pick<IncomingMessage, "url" | "headers">,
  { publicBaseUrl, trustProxy }: Pick<Config, "publicBaseUrl" | "trustProxy">,
): string | undefined {
  const { host = "", "x-forwarded-proto": protocol = "", "x-forwarded-host": forwardedHost = "" } = headers;
  const scope = publicBaseUrl !== undefined ? "" : trustProxy ? `${protocol} ${forwardedHost} ${host}` : host;
  return url.length + scope.length > MAX_URL_CHARACTERS ? undefined : `${scope} ${url}`;
}

/** The client's request id if it is valid, or a new one. The same rule as Hono's middleware. */
export const requestIdOf = (sent: string | string[] | undefined) =>
  typeof sent === "string" && sent !== "" && sent.length <= 255 && !/[^\w\-=]/.test(sent) ? sent : randomUUID();

/** Headers of every response. */
export const commonHeaders = [
  "access-control-allow-origin",
  "*",
  "access-control-expose-headers",
  EXPOSED_HEADERS.join(","),
  ...Object.entries(NO_SNIFF).flat(),
];

/** The path of a request's URL, without the query. */
export const pathOf = (url: string) => {
  const queryStart = url.indexOf("?");
  return queryStart < 0 ? url : url.slice(0, queryStart);
};

/** Responds to a request from the cache, before it reaches the app. Returns false, or a promise of it, if it can't. */
export type ServeCached = (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>;

export function serveFrom(cache: ResponseCache, config: Config, log: Logger): ServeCached {
  const send = (
    request: IncomingMessage,
    response: ServerResponse,
    start: number,
    { response: stored, head }: Found,
  ) => {
    const { method = "", url = "", headers } = request;
    const requestId = requestIdOf(headers["x-request-id"]);
    const isUnchanged = hasTag(headers["if-none-match"], stored.etag);
    const status = isUnchanged ? 304 : 200;
    response.writeHead(status, [
      ...(isUnchanged ? stored.unchangedHeaders : stored.headers).flat(),
      ...commonHeaders,
      ...["x-request-id", requestId],
      ...(head ? indexHeaders(head).flat() : []),
    ]);
    response.end(isUnchanged || method === "HEAD" ? undefined : stored.body);
    logRequest(log, { requestId, method, path: pathOf(url), status, start });
    return true;
  };
  return (request, response) => {
    if (request.method !== "GET" && request.method !== "HEAD") return false;
    const start = performance.now();
    const key = cacheKeyOf(request, config);
    const found = key === undefined ? undefined : cache.find(key);
    if (found === undefined) return false;
    if (!(found instanceof Promise)) return send(request, response, start, found);
    // The app reports why the revision could not be read.
    return found.then(
      (later) => later !== undefined && send(request, response, start, later),
      () => false,
    );
  };
}
