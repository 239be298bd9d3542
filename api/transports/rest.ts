import { type Context, Hono } from "hono";
import { BadInput } from "../errors";
import { etagOf, hasTag } from "../http/etag";
import type { Env } from "../http/log";
import { type AnyOperation, allOperations } from "../operations/index";
import { problemsOf } from "../operations/operation";
import type { Services } from "../services";
import { readQuery } from "./query";
import { type Route, routeOf } from "./route";

/** Answers with JSON, or with 304 when the client has it already. */
export function answer(c: Context, body: string, status: 200 | 503 = 200): Response {
  const headers = { "content-type": "application/json; charset=UTF-8" };
  if (status !== 200) return c.body(body, status, headers);
  const etag = etagOf(body);
  if (hasTag(c.req.header("if-none-match"), etag)) return c.body(null, 304, { etag });
  return c.body(body, status, { ...headers, etag });
}

/** What a request says, from its path and its query, as the one input of an operation. */
function sentInput(c: Context, { pathParameters, otherParameters }: Route): Record<string, unknown> {
  const { search } = new URL(c.req.url);
  return {
    ...readQuery(search.slice(1), otherParameters),
    ...Object.fromEntries(pathParameters.map((name) => [name, c.req.param(name)])),
  };
}

/** Runs an operation on what was sent; its answer is held against its schema where that is asked for. */
export async function runOperation(services: Services, operation: AnyOperation, sent: unknown): Promise<unknown> {
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
      const output = await runOperation(services, operation, sentInput(c, route));
      return answer(c, JSON.stringify(output), operation.status?.(output as never));
    });
  }
  for (const [path, methods] of methodsOf)
    routes.all(path, (c) => {
      const allow = [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
      return c.json({ error: `${c.req.method} is not possible here, only ${allow}` }, 405, { allow });
    });
  return routes;
}
