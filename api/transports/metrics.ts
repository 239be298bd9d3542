import { Hono } from "hono";
import { Forbidden } from "../core/errors";
import { validToken } from "../http/caller";
import { type Env, reply, textReply } from "../http/reply";
import type { Context } from "../operations/context";
import { METRICS_TYPE, scrape } from "../telemetry/scrape";
import { rejectOtherMethods } from "./rest/routes";

const PATH = "/metrics";

/**
 * Serves the metrics to Prometheus. Clients of a proxy get 403 unless they have the token, so that a proxy which forwards
 * every path does not publish them.
 */
export function metricsRoutes({ config }: Pick<Context, "config">): Hono<Env> {
  const routes = new Hono<Env>();
  const { metricsToken } = config;
  routes.get(PATH, async (c) => {
    c.set("operation", "metrics");
    const isAllowed =
      metricsToken === undefined
        ? c.req.header("x-forwarded-for") === undefined
        : validToken(c.req.header("authorization"), [metricsToken]) !== undefined;
    if (!isAllowed)
      throw new Forbidden(
        metricsToken === undefined
          ? "The metrics are not public; request them from the gateway itself, or set METRICS_TOKEN"
          : "The metrics require the token of METRICS_TOKEN (authorization: Bearer …)",
      );
    return reply(c, textReply(await scrape(), METRICS_TYPE, 200));
  });
  rejectOtherMethods(routes, PATH, ["GET"]);
  return routes;
}
