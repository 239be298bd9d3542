import { Hono } from "hono";
import type { Logger } from "pino";
import type { EventFeed } from "../../events/feed";
import { readSubscription, subscription } from "../../events/subscription";
import { callerOf } from "../../http/caller";
import type { Env } from "../../http/log";
import type { Context } from "../../operations/context";
import { routeOf } from "../rest/route";
import { refuseOtherMethods, sentInput } from "../rest/routes";
import { eventStreamBody } from "./stream";

const headers = {
  "content-type": "text/event-stream; charset=UTF-8",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

/** The live events, and how often a stream of them shows that it is alive. */
export type LiveEvents = { feed: EventFeed; heartbeatMs: number };

/** The live events, as Server-Sent Events. */
export function eventRoutes({ feed, heartbeatMs }: LiveEvents, { config }: Context, log: Logger): Hono<Env> {
  const route = routeOf(subscription);
  const routes = new Hono<Env>();
  routes.get(route.honoPath, async (c) => {
    const wanted = readSubscription(await sentInput(c, route));
    // Hono answers HEAD as it does GET, less the body: it must not have been opened.
    if (c.req.method === "HEAD") return c.body(null, 200, headers);
    const ended = new AbortController();
    const end = () => ended.abort();
    c.req.raw.signal.addEventListener("abort", end, { once: true });
    const stream = await feed.subscribe(wanted, callerOf(c, config).client, ended.signal);
    const body = eventStreamBody(stream, {
      heartbeatMs,
      end,
      onFault: (error) => log.error({ request_id: c.var.requestId, err: error }, "failed stream"),
    });
    return c.body(body, 200, headers);
  });
  refuseOtherMethods(routes, route.honoPath, [route.method]);
  return routes;
}
