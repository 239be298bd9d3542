import { Hono, type Context as HonoContext } from "hono";
import { cors } from "hono/cors";
import type { Logger } from "pino";
import { errorBody } from "./core/error-codes";
import { reportFailure } from "./http/failure";
import { type Env, jsonReply, type Reply, reply, truncatePath } from "./http/reply";
import { mayWait, receiveRequest } from "./http/request";
import type { ResponseCache } from "./http/response-cache";
import type { Context } from "./operations/context";
import { docsRoutes } from "./transports/docs";
import { readAssetsIfBuilt } from "./transports/explorer/assets";
import { crawlerRoutes } from "./transports/explorer/crawlers";
import { errorPage, explorerRoutes, isPage, shellOf } from "./transports/explorer/routes";
import { mcpRoutes } from "./transports/mcp";
import { metricsRoutes } from "./transports/metrics";
import { paidRoutes } from "./transports/rest/paid";
import { restRoutes } from "./transports/rest/routes";
import { streamRoutes } from "./transports/sse/routes";
import { isTrpcPath, trpcFailure, trpcRoutes } from "./transports/trpc";

const preflight = cors({ origin: "*", allowMethods: ["GET", "HEAD", "POST", "PUT", "OPTIONS"], maxAge: 86_400 });

/**
 * Creates the gateway. Every request, of every transport, passes the middleware in this order. The REST routes pass
 * {@link mayWait} after their cache. An operation and its payment follow in the routes of the transport, and every response,
 * also to an error, is made by {@link reply}, which logs the request.
 */
export function createGateway(
  context: Context,
  log: Logger,
  cache?: ResponseCache,
  assets = readAssetsIfBuilt(log),
): Hono<Env> {
  // A trailing slash names the same route.
  const gateway = new Hono<Env>({ strict: false });
  gateway.use(receiveRequest(log, context));
  gateway.options("*", async (c, next) => {
    const { status = 204, headers } = (await preflight(c, next)) ?? {};
    return reply(c, { status, headers: Object.fromEntries(headers ?? []), body: null });
  });
  gateway.route("/", restRoutes(context, cache));
  gateway.use(mayWait);
  gateway.route("/", paidRoutes(context, log));
  gateway.route("/", streamRoutes(context, log));
  gateway.route("/", trpcRoutes(context, log));
  gateway.route("/", mcpRoutes(context, log));
  gateway.route("/", docsRoutes(assets));
  gateway.route("/", metricsRoutes(context));
  gateway.route("/", crawlerRoutes(context));
  gateway.route("/", explorerRoutes(context, log, assets));

  gateway.notFound((c) => {
    const error = errorBody("unknown_route", `No route ${c.req.method} ${truncatePath(c.req.path)}; see /docs`);
    return reply(c, jsonReply(error, 404));
  });
  /** The error in the format of the transport. */
  const failureReply = async (c: HonoContext<Env>, error: unknown): Promise<Reply> => {
    const { status, code, message, details, headers } = reportFailure(error, log, { request_id: c.get("requestId") });
    if (isTrpcPath(c.req.path)) return jsonReply(trpcFailure(error), status, headers);
    if (isPage(c)) return errorPage(status, message, (await assets)?.explorer, shellOf(c), headers);
    return jsonReply(errorBody(code, message, details), status, headers);
  };
  gateway.onError(async (error, c) => reply(c, await failureReply(c, error)));
  return gateway;
}
