import type { IncomingMessage } from "node:http";
import { Hono, type Context as HonoContext } from "hono";
import { errorBody } from "../../core/error-codes";
import type { AnyCall } from "../../core/operation";
import { callerOf } from "../../http/caller";
import { JSON_TYPE } from "../../http/common-headers";
import { etagOf, hasTag } from "../../http/etag";
import { recordOf, setIndexHeaders } from "../../http/index-headers";
import type { Env } from "../../http/log";
import { respondJson } from "../../http/respond-json";
import type { ResponseCache } from "../../http/response-cache";
import type { Context } from "../../operations/context";
import { freeCalls, nameOf } from "../../operations/index";
import { readBody } from "./body";
import { callOf } from "./call";
import { readQuery, rejectQuery } from "./query";
import { cacheKeyOf, isRead, readThrough } from "./read";
import { type Route, routeOf } from "./route";

/** Responds with a body and its ETag, or with 304 if the client has the same body. */
export function respond(
  c: HonoContext,
  body: string | Uint8Array<ArrayBuffer>,
  type = JSON_TYPE,
  headers: Record<string, string> = {},
): Response {
  const etag = etagOf(body);
  if (hasTag(c.req.header("if-none-match"), etag)) return c.body(null, 304, { ...headers, etag });
  // Set here, because the response to a HEAD has no body to measure.
  const length = String(Buffer.byteLength(body));
  return c.body(body, 200, { ...headers, "content-type": type, "content-length": length, etag });
}

/** Responds with 405 to all other methods on a path. */
export function rejectOtherMethods(routes: Hono<Env>, path: string, methods: readonly string[]): void {
  const allow = [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
  routes.all(path, (c) =>
    respondJson(c, errorBody("method_not_allowed", `Method ${c.req.method} is not allowed; use ${allow}`), 405, {
      allow,
    }),
  );
}

/** Reads an operation's input from the path, the headers, and the query or body. */
export async function readInput(c: HonoContext, route: Route): Promise<Record<string, unknown>> {
  const { method, pathParameters, headers, otherParameters } = route;
  const query = new URL(c.req.url).search.slice(1);
  if (method !== "GET") rejectQuery(query, route);
  return {
    ...(method === "GET" ? readQuery(query, otherParameters) : await readBody(c, route)),
    ...Object.fromEntries(Object.entries(headers).map(([header, name]) => [name, c.req.header(header)])),
    ...Object.fromEntries(pathParameters.map((name) => [name, c.req.param(name)])),
  };
}

/** The free calls by path in Hono's syntax. Static paths precede paths with parameters: `metadata` in /intents/metadata is not an id. */
export function callsByPath(): [path: string, operations: AnyCall[]][] {
  const operationsAt = new Map<string, AnyCall[]>();
  for (const { operation } of freeCalls)
    for (const path of [routeOf(operation).honoPath, ...(operation.alias ? [operation.alias] : [])])
      operationsAt.set(path, [...(operationsAt.get(path) ?? []), operation]);
  return [...operationsAt].sort(([one], [other]) => one.split(":").length - other.split(":").length);
}

/** The REST routes of all free calls. Other methods on these paths return 405. */
export function restRoutes(context: Context, cache: ResponseCache): Hono<Env> {
  const routes = new Hono<Env>();
  for (const [path, operations] of callsByPath()) {
    for (const operation of operations) {
      const { method } = routeOf(operation);
      const handle = isRead(operation) ? readHandler(context, operation, cache) : handlerOf(context, operation);
      routes.on(method, path, handle);
    }
    rejectOtherMethods(
      routes,
      path,
      operations.map((operation) => routeOf(operation).method),
    );
  }
  return routes;
}

/** Handles an operation whose response is not kept. The listener responds to most of those with a body without Hono. */
function handlerOf(context: Context, operation: AnyCall) {
  const route = routeOf(operation);
  const call = callOf(context, operation);
  const name = nameOf(operation);
  return async (c: HonoContext<Env>): Promise<Response> => {
    c.set("operation", name);
    const { status, body } = await call({
      caller: callerOf(c, context.config),
      readInput: () => readInput(c, route),
      onRateLimit: (header) => c.header("ratelimit", header),
      onIndexHead: (head) => setIndexHeaders(c, head),
    });
    return route.method === "GET" && status === 200
      ? respond(c, body)
      : c.body(body, status, { "content-type": JSON_TYPE, "content-length": String(Buffer.byteLength(body)) });
  };
}

/** Handles a read. The listener responds to most of them without Hono: see serve-directly.ts. */
function readHandler(context: Context, operation: AnyCall, cache: ResponseCache) {
  const name = nameOf(operation);
  const route = routeOf(operation);
  const read = readThrough(cache, context, operation);
  const { config } = context;
  return async (c: HonoContext<Env>): Promise<Response> => {
    c.set("operation", name);
    const { incoming } = (c.env ?? {}) as { incoming?: IncomingMessage };
    const { response } = await read({
      caller: callerOf(c, config),
      sent: await readInput(c, route),
      url: incoming && cacheKeyOf(incoming, config),
      onIndexHead: (head) => setIndexHeaders(c, head),
    });
    const isUnchanged = hasTag(c.req.header("if-none-match"), response.etag);
    return isUnchanged
      ? c.body(null, 304, recordOf(response.unchangedHeaders))
      : c.body(response.body, 200, recordOf(response.headers));
  };
}
