import { Hono, type Context as HonoContext } from "hono";
import type { Allowance } from "../../core/limits";
import type { AnyCall } from "../../core/operation";
import { requirePermission, runOperation } from "../../core/run";
import { callerOf } from "../../http/caller";
import { etagOf, hasTag } from "../../http/etag";
import { setIndexHeaders } from "../../http/index-headers";
import type { Env } from "../../http/log";
import type { Context } from "../../operations/context";
import { freeCalls } from "../../operations/index";
import { readBody } from "./body";
import { readQuery } from "./query";
import { type Route, routeOf } from "./route";

const JSON_TYPE = "application/json; charset=UTF-8";

/** Answers what can be read again: with the body, or with 304 when the client has it already. */
export function answer(
  c: HonoContext,
  body: string | Uint8Array<ArrayBuffer>,
  type = JSON_TYPE,
  headers: Record<string, string> = {},
): Response {
  const etag = etagOf(body);
  if (hasTag(c.req.header("if-none-match"), etag)) return c.body(null, 304, { ...headers, etag });
  // The length is said here because the answer to a HEAD has no body to count.
  const length = String(Buffer.byteLength(body));
  return c.body(body, 200, { ...headers, "content-type": type, "content-length": length, etag });
}

/** Answers with the exact text of a document, whose name is its entity tag. */
function answerDocument(c: HonoContext, hash: string, text: string): Response {
  const headers = { etag: `"${hash}"`, "cache-control": "public, max-age=31536000, immutable" };
  if (hasTag(c.req.header("if-none-match"), headers.etag)) return c.body(null, 304, headers);
  const length = String(Buffer.byteLength(text));
  return c.body(text, 200, { ...headers, "content-type": "application/json", "content-length": length });
}

const rateLimit = ({ limit, remaining, resetSeconds }: Allowance) =>
  `limit=${limit}, remaining=${remaining}, reset=${resetSeconds}`;

/** Answers 405 to every other method on a path. */
export function refuseOtherMethods(routes: Hono<Env>, path: string, methods: readonly string[]): void {
  const allow = [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
  routes.all(path, (c) => c.json({ error: `${c.req.method} is not possible here, only ${allow}` }, 405, { allow }));
}

/** What a request says, from its path and its query or body, as the one input of an operation. */
export async function sentInput(
  c: HonoContext,
  { method, pathParameters, headers, otherParameters }: Route,
): Promise<Record<string, unknown>> {
  const { search } = new URL(c.req.url);
  return {
    ...(method === "GET" ? readQuery(search.slice(1), otherParameters) : await readBody(c, otherParameters)),
    ...Object.fromEntries(Object.entries(headers).map(([header, name]) => [name, c.req.header(header)])),
    ...Object.fromEntries(pathParameters.map((name) => [name, c.req.param(name)])),
  };
}

/** The REST routes of all free calls; a known path with another method is a 405. */
export function restRoutes(context: Context): Hono<Env> {
  const routes = new Hono<Env>();
  const operationsAt = new Map<string, AnyCall[]>();
  for (const { operation } of freeCalls)
    for (const path of [routeOf(operation).honoPath, ...(operation.alias ? [operation.alias] : [])])
      operationsAt.set(path, [...(operationsAt.get(path) ?? []), operation]);
  // A path that is written out comes before one with a parameter in its place: /intents/metadata is no intent.
  const paths = [...operationsAt].sort(([one], [other]) => one.split(":").length - other.split(":").length);
  for (const [path, operations] of paths) {
    for (const operation of operations) routes.on(routeOf(operation).method, path, handlerOf(context, operation));
    refuseOtherMethods(
      routes,
      path,
      operations.map((operation) => routeOf(operation).method),
    );
  }
  return routes;
}

/** Answers the requests for one operation. */
function handlerOf(context: Context, operation: AnyCall) {
  const route = routeOf(operation);
  return async (c: HonoContext<Env>): Promise<Response> => {
    const caller = callerOf(c, context.config);
    // Before the body is read: who may not write is told so whatever was sent.
    requirePermission(context, operation, caller);
    const { input, output } = await runOperation(context, operation, await sentInput(c, route), caller, {
      onRateLimit: (allowance) => c.header("ratelimit", rateLimit(allowance)),
      onIndexHead: (head) => setIndexHeaders(c, head),
    });
    if (operation.document) return answerDocument(c, String(input.hash), String(output));
    const body = JSON.stringify(output);
    const status = typeof operation.status === "function" ? operation.status(output as never) : operation.status;
    return route.method === "GET" && (status ?? 200) === 200
      ? answer(c, body)
      : c.body(body, status ?? 200, { "content-type": JSON_TYPE });
  };
}
