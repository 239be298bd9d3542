import { Hono } from "hono";
import type { Logger } from "pino";
import type { AnySubscription } from "../../core/operation";
import { subscribe } from "../../core/run";
import { type Env, reply } from "../../http/reply";
import type { Context } from "../../operations/context";
import { subscriptions } from "../../operations/index";
import { routeOf } from "../rest/route";
import { inputReader, rejectOtherMethods } from "../rest/routes";
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
  const { eventHeartbeatMs: heartbeatMs } = context.config;
  const { honoPath, method } = routeOf(operation);
  const readInput = inputReader(context, operation);
  routes.get(honoPath, async (c) => {
    const input = await readInput(c);
    // Hono serves HEAD with the GET handler and drops the body, so no stream may be opened.
    if (c.req.method === "HEAD") return reply(c, { status: 200, headers, body: null });
    const ended = new AbortController();
    const end = () => ended.abort();
    c.req.raw.signal.addEventListener("abort", end, { once: true });
    const stream = await subscribe(context, operation, input, c.var.caller, ended.signal);
    // After the time limit the client has its response, and nobody would read this one.
    if (c.finalized) end();
    const reset = () => void c.env?.incoming?.socket.resetAndDestroy();
    return reply(c, { status: 200, headers, body: streamBody(stream, { heartbeatMs, end, reset, log }) });
  });
  rejectOtherMethods(routes, honoPath, [method]);
}
