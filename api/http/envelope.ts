import type { MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import type { Logger } from "pino";
import { withRequestId } from "../metrics/request-id";
import { commonHeaders, requestIdOf } from "./common-headers";
import { type Env, logRequest, NO_OPERATION } from "./log";

const answerPreflight = cors({ origin: "*", allowMethods: ["GET", "HEAD", "POST", "PUT", "OPTIONS"], maxAge: 86_400 });

/**
 * Middleware that sets the request id and the CORS headers, and logs each request after its response. It sets headers before
 * there is a response: changing those of a response makes Hono and its server copy it.
 */
export const envelope =
  (log: Logger): MiddlewareHandler<Env> =>
  async (c, next) => {
    const start = performance.now();
    const requestId = requestIdOf(c.req.header("x-request-id"));
    const headers = { ...commonHeaders, "x-request-id": requestId };
    c.set("requestId", requestId);
    for (const [name, value] of Object.entries(headers)) c.header(name, value);
    if (c.req.method === "OPTIONS") {
      const preflight = await answerPreflight(c, next);
      if (preflight) c.res = preflight;
    } else await withRequestId(requestId, next);
    // The responses of libraries do not have the headers.
    if (!c.res.headers.has("x-request-id"))
      for (const [name, value] of Object.entries({ ...headers, ...c.get("indexHeaders") }))
        c.res.headers.set(name, value);
    const { method, path } = c.req;
    const operation = c.get("operation") ?? NO_OPERATION;
    logRequest(log, { requestId, method, path, operation, status: c.res.status, start });
  };
