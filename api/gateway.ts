import { Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import { timeout } from "hono/timeout";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { Logger } from "pino";
import { errorBody } from "./core/error-codes";
import { envelope } from "./http/envelope";
import { failureOf } from "./http/failure";
import type { Env } from "./http/log";
import { truncatePath } from "./http/path";
import { respondJson } from "./http/respond-json";
import { createNoCache } from "./http/response-cache";
import { TIME_LIMIT_MS, TOO_SLOW } from "./http/time-limit";
import type { Context } from "./operations/context";
import { docsRoutes } from "./transports/docs";
import { readAssetsIfBuilt } from "./transports/explorer/assets";
import { explorerRoutes } from "./transports/explorer/routes";
import { mcpRoutes } from "./transports/mcp";
import { metricsRoutes } from "./transports/metrics";
import { paidRoutes } from "./transports/rest/paid";
import { restRoutes } from "./transports/rest/routes";
import { streamRoutes } from "./transports/sse/routes";
import { isTrpcPath, trpcFailure, trpcRoutes } from "./transports/trpc";

/** The body of an error response to a request for this path. */
export function failureBody(path: string, error: unknown) {
  if (isTrpcPath(path)) return trpcFailure(error);
  const { code, message, details } = failureOf(error);
  return errorBody(code, message, details);
}

/** Creates the gateway app with all transports. */
export function createGateway(context: Context, log: Logger, cache = createNoCache(context)): Hono<Env> {
  const assets = readAssetsIfBuilt(log);
  // A trailing slash names the same route.
  const gateway = new Hono<Env>({ strict: false });
  gateway.use(envelope(log));
  gateway.use(timeout(TIME_LIMIT_MS, new HTTPException(503, { message: TOO_SLOW })));
  gateway.route("/", paidRoutes(context, log));
  gateway.route("/", restRoutes(context, cache));
  gateway.route("/", streamRoutes(context, log));
  gateway.route("/", trpcRoutes(context, log));
  gateway.route("/", mcpRoutes(context, log));
  gateway.route("/", docsRoutes(context, assets));
  gateway.route("/", metricsRoutes(context));
  gateway.route("/", explorerRoutes(context, log, assets));
  gateway.notFound((c) =>
    respondJson(c, errorBody("unknown_route", `No route ${c.req.method} ${truncatePath(c.req.path)}; see /docs`), 404),
  );
  gateway.onError((error, c) => {
    const { status, fault, headers } = failureOf(error);
    if (fault) log.error({ request_id: c.var.requestId, err: error }, "failed request");
    return respondJson(c, failureBody(c.req.path, error), status as ContentfulStatusCode, headers);
  });
  return gateway;
}
