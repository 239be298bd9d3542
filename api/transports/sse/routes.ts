import type { IncomingMessage } from "node:http";
import { Hono } from "hono";
import type { Logger } from "pino";
import type { AnySubscription } from "../../core/operation";
import { openSubscription, parseInput } from "../../core/run";
import { callerOf } from "../../http/caller";
import type { Env } from "../../http/log";
import type { Context } from "../../operations/context";
import { nameOf, subscriptions } from "../../operations/index";
import { routeOf } from "../rest/route";
import { readInput, rejectOtherMethods } from "../rest/routes";
import { streamBody } from "./stream";

const headers = {
  "content-type": "text/event-stream; charset=UTF-8",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

/** The routes of all subscriptions, as Server-Sent Events. */
export function streamRoutes(context: Context, log: Logger): Hono<Env> {
  const routes = new Hono<Env>();
  for (const { operation } of subscriptions) addRoute(routes, operation, context, log);
  return routes;
}

function addRoute(routes: Hono<Env>, operation: AnySubscription, context: Context, log: Logger): void {
  const { config } = context;
  const route = routeOf(operation);
  routes.get(route.honoPath, async (c) => {
    c.set("operation", nameOf(operation));
    const sent = await readInput(c, route);
    // Hono serves HEAD with the GET handler and drops the body, so no stream may be opened.
    if (c.req.method === "HEAD") {
      parseInput(context, operation, sent);
      return c.body(null, 200, headers);
    }
    const ended = new AbortController();
    const end = () => ended.abort();
    c.req.raw.signal.addEventListener("abort", end, { once: true });
    const stream = await openSubscription(context, operation, sent, callerOf(c, config), ended.signal);
    const { incoming } = (c.env ?? {}) as { incoming?: IncomingMessage };
    const body = streamBody(stream, {
      heartbeatMs: config.eventHeartbeatMs,
      end,
      reset: () => void incoming?.socket.resetAndDestroy(),
      onFault: (error) => log.error({ request_id: c.var.requestId, err: error }, "failed stream"),
    });
    return c.body(body, 200, headers);
  });
  rejectOtherMethods(routes, route.honoPath, [route.method]);
}
