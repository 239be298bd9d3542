import { type Handler, Hono, type Context as HonoContext } from "hono";
import { errorBody } from "../../core/error-codes";
import type { Allowance } from "../../core/limits";
import { type AnyCall, type AnyOperation, dependenciesOf } from "../../core/operation";
import { parseInput, requirePermission, runValid } from "../../core/run";
import { type Env, jsonReply, type Reply, reply, setIndexHead, taggedReply } from "../../http/reply";
import { mayWait } from "../../http/request";
import { fromCache, type ResponseCache } from "../../http/response-cache";
import type { Context } from "../../operations/context";
import { freeCalls, nameOf } from "../../operations/index";
import { readBody } from "./body";
import { readQuery, rejectQuery } from "./query";
import { routeOf } from "./route";

/** Responds with 405 to all other methods on a path. */
export function rejectOtherMethods(routes: Hono<Env>, path: string, methods: readonly string[]): void {
  const allow = [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
  routes.all(path, (c) => {
    const body = errorBody("method_not_allowed", `Method ${c.req.method} is not allowed; use ${allow}`);
    return reply(c, jsonReply(body, 405, { allow }));
  });
}

/** The query of a request, without the question mark. */
const queryOf = ({ req: { url } }: HonoContext): string =>
  url.includes("?") ? (/\?([^#]*)/.exec(url)?.[1] ?? "") : "";

type Input = Record<string, unknown>;

/**
 * Reads the input of an operation from the path, the headers, and the query or body, after it has checked the permission of
 * the caller. Without a body it waits for nothing.
 */
export function inputReader(
  context: Context,
  operation: AnyOperation,
): (c: HonoContext<Env>) => Input | Promise<Input> {
  const route = routeOf(operation);
  const { method, pathParameters, headers, otherParameters } = route;
  const name = nameOf(operation);
  const parse = (c: HonoContext<Env>, sent: Input): Input => {
    for (const header in headers) sent[headers[header] as string] = c.req.header(header);
    for (const parameter of pathParameters) sent[parameter] = c.req.param(parameter);
    return parseInput(context, operation, sent);
  };
  return (c) => {
    c.set("operation", name);
    if (operation.kind === undefined && !operation.paid) requirePermission(context, operation, c.get("caller"));
    if (method === "GET") return parse(c, readQuery(queryOf(c), otherParameters));
    rejectQuery(queryOf(c), route);
    return readBody(c, route).then((sent) => parse(c, sent));
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
    for (const operation of operations)
      routes.on(routeOf(operation).method, path, handlerOf(context, operation, cache));
    rejectOtherMethods(routes, path, methods);
  }
  return routes;
}

/** Serves one operation. A reply from the cache passes no {@link mayWait}. */
function handlerOf(context: Context, operation: AnyCall, cache: ResponseCache | undefined): Handler<Env> {
  const readInput = inputReader(context, operation);
  const compute = async (c: HonoContext<Env>, input: Input) => {
    const output = await runValid(context, operation, input, c.get("caller"), {
      onRateLimit: (allowance) => c.set("headers", { ...c.get("headers"), ratelimit: rateLimit(allowance) }),
      onIndexHead: (head) => setIndexHead(c, head),
    });
    return replyOf(operation, input, output);
  };
  if (!cache || !isKept(operation))
    return (c) => mayWait(c, async () => reply(c, await compute(c, await readInput(c))));
  const serve = fromCache(cache, operation, compute);
  return (c) => serve(c, readInput(c) as Input);
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
