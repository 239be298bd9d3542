import type { MiddlewareHandler } from "hono";
import type { Logger } from "pino";
import { truncatePath } from "./path";

/** Hono variables of a request. */
export type Env = { Variables: { requestId: string } };

/** Middleware that logs one line per request, after the response. */
export const logRequests =
  (log: Logger): MiddlewareHandler<Env> =>
  async (c, next) => {
    const start = performance.now();
    await next();
    const { method, path } = c.req;
    const ms = Math.round((performance.now() - start) * 10) / 10;
    log.info({ request_id: c.var.requestId, method, path: truncatePath(path), status: c.res.status, ms }, "request");
  };
