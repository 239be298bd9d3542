import { Hono, type Context as HonoContext, type MiddlewareHandler } from "hono";
import { errorBody } from "../../core/error-codes";
import type { Allowance } from "../../core/limits";
import { type AnyCall, type AnyOperation, dependenciesOf } from "../../core/operation";
import { parseInput, requirePermission, runValid } from "../../core/run";
import { type Env, jsonReply, type Reply, reply, setIndexHead, taggedReply } from "../../http/reply";
import { cached, type ResponseCache } from "../../http/response-cache";
import type { Context } from "../../operations/context";
import { freeCalls, nameOf } from "../../operations/index";
import { readBody } from "./body";
import { readQuery, rejectQuery } from "./query";
import { type Route, routeOf } from "./route";

/** Responds with 405 to all other methods on a path. */
export function rejectOtherMethods(routes: Hono<Env>, path: string, methods: readonly string[]): void {
  const allow = [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
  routes.all(path, (c) => {
    const body = errorBody("method_not_allowed", `Method ${c.req.method} is not allowed; use ${allow}`);
    return reply(c, jsonReply(body, 405, { allow }));
  });
}

/** The query of a request, without the question mark. */
const queryOf = (c: HonoContext): string => /\?([^#]*)/.exec(c.req.url)?.[1] ?? "";

/** Reads an operation's input from the path, the headers, and the query or body. */
async function readInput(c: HonoContext<Env>, route: Route): Promise<Record<string, unknown>> {
  const { method, pathParameters, headers, otherParameters } = route;
  if (method !== "GET") rejectQuery(queryOf(c), route);
  const sent: Record<string, unknown> =
    method === "GET" ? readQuery(queryOf(c), otherParameters) : await readBody(c, route);
  for (const [header, name] of Object.entries(headers)) sent[name] = c.req.header(header);
  for (const name of pathParameters) sent[name] = c.req.param(name);
  return sent;
}

/** Middleware that checks the permission of the caller, and then the input of the operation. */
export function acceptInput(context: Context, operation: AnyOperation): MiddlewareHandler<Env> {
  const route = routeOf(operation);
  const name = nameOf(operation);
  return async (c, next) => {
    c.set("operation", name);
    if (operation.kind === undefined && !operation.paid) requirePermission(context, operation, c.get("caller"));
    c.set("input", parseInput(context, operation, await readInput(c, route)));
    await next();
  };
}

/** The free calls by path in Hono's syntax. Static paths precede paths with parameters: `metadata` in /intents/metadata is not an id. */
function callsByPath(): [path: string, operations: AnyCall[]][] {
  const operationsAt = new Map<string, AnyCall[]>();
  for (const { operation } of freeCalls)
    for (const path of [routeOf(operation).honoPath, ...(operation.alias ? [operation.alias] : [])])
      operationsAt.set(path, [...(operationsAt.get(path) ?? []), operation]);
  return [...operationsAt].sort(([one], [other]) => one.split(":").length - other.split(":").length);
}

/** Whether responses are kept: those of reads that depend on nothing but their input and state with a revision. */
const isKept = (operation: AnyCall): boolean => {
  const { method, headers } = routeOf(operation);
  const isTracked = !dependenciesOf(operation, {}).includes("untracked");
  return method === "GET" && operation.status === undefined && Object.keys(headers).length === 0 && isTracked;
};

/** The REST routes of all free calls. Other methods on these paths return 405. */
export function restRoutes(context: Context, cache: ResponseCache | undefined): Hono<Env> {
  const routes = new Hono<Env>();
  for (const [path, operations] of callsByPath()) {
    const methods = operations.map((operation) => routeOf(operation).method);
    for (const operation of operations) {
      const { method } = routeOf(operation);
      const accept = acceptInput(context, operation);
      if (cache && isKept(operation))
        routes.on(method, path, accept, cached(cache, operation), run(context, operation));
      else routes.on(method, path, accept, run(context, operation));
    }
    rejectOtherMethods(routes, path, methods);
  }
  return routes;
}

const rateLimit = ({ limit, remaining, resetSeconds }: Allowance) =>
  `limit=${limit}, remaining=${remaining}, reset=${resetSeconds}`;

/** The reply of an operation. Documents never change, and their tag is their hash. */
function replyOf({ document, status, route }: AnyCall, { hash }: Record<string, unknown>, output: unknown): Reply {
  if (document) {
    const headers = { etag: `"${hash}"`, "cache-control": "public, max-age=31536000, immutable" };
    return taggedReply(String(output), "application/json", headers);
  }
  const code = typeof status === "function" ? status(output as never) : (status ?? 200);
  const isTagged = route.startsWith("GET ") && code === 200;
  return isTagged ? taggedReply(JSON.stringify(output)) : jsonReply(output as object, code);
}

/** Runs an operation on the input of the request, and replies with its output. */
const run =
  (context: Context, operation: AnyCall) =>
  async (c: HonoContext<Env>): Promise<Response> => {
    const input = c.get("input");
    const output = await runValid(context, operation, input, c.get("caller"), {
      onRateLimit: (allowance) => c.set("headers", { ...c.get("headers"), ratelimit: rateLimit(allowance) }),
      onIndexHead: (head) => setIndexHead(c, head),
    });
    const sent = replyOf(operation, input, output);
    c.set("reply", sent);
    return reply(c, sent);
  };
