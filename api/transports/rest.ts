import { type Context, Hono } from "hono";
import { BadInput } from "../errors";
import { etagOf, hasTag } from "../http/etag";
import type { Env } from "../http/log";
import { type AnyOperation, allOperations } from "../operations/index";
import { problemsOf } from "../operations/operation";
import type { Services } from "../services";
import { readBody } from "./body";
import { readQuery } from "./query";
import { type Route, routeOf } from "./route";

const JSON_TYPE = "application/json; charset=UTF-8";

/** Answers what can be read again: with the body, or with 304 when the client has it already. */
export function answer(
  c: Context,
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

/** Answers 405 to every other method on a path. */
export function refuseOtherMethods(routes: Hono<Env>, path: string, methods: readonly string[]): void {
  const allow = [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
  routes.all(path, (c) => c.json({ error: `${c.req.method} is not possible here, only ${allow}` }, 405, { allow }));
}

/** What a request says, from its path and its query or body, as the one input of an operation. */
async function sentInput(
  c: Context,
  { method, pathParameters, otherParameters }: Route,
): Promise<Record<string, unknown>> {
  const { search } = new URL(c.req.url);
  return {
    ...(method === "GET" ? readQuery(search.slice(1), otherParameters) : await readBody(c)),
    ...Object.fromEntries(pathParameters.map((name) => [name, c.req.param(name)])),
  };
}

/** Runs an operation on what was sent; its answer is held against its schema where that is asked for. */
async function runOperation(services: Services, operation: AnyOperation, sent: unknown): Promise<unknown> {
  const parsed = operation.input.safeParse(sent);
  if (!parsed.success) throw new BadInput(...problemsOf(parsed.error));
  const output = await operation.run(services as never, parsed.data as never);
  return services.config.checkAnswers ? operation.output.parse(output) : output;
}

/** The REST routes of all operations; a known path with another method is a 405. */
export function restRoutes(services: Services): Hono<Env> {
  const routes = new Hono<Env>();
  const methodsOf = new Map<string, string[]>();
  for (const { operation } of allOperations) {
    const route = routeOf(operation);
    methodsOf.set(route.honoPath, [...(methodsOf.get(route.honoPath) ?? []), route.method]);
    routes.on(route.method, route.honoPath, async (c) => {
      const output = await runOperation(services, operation, await sentInput(c, route));
      const body = JSON.stringify(output);
      const status = operation.status?.(output as never) ?? 200;
      return route.method === "GET" && status === 200
        ? answer(c, body)
        : c.body(body, status, { "content-type": JSON_TYPE });
    });
  }
  for (const [path, methods] of methodsOf) refuseOtherMethods(routes, path, methods);
  return routes;
}
