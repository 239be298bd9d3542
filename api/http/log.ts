import type { MiddlewareHandler } from "hono";
import type { Logger } from "pino";
import { shownPath } from "./path";

/** What each request carries through the gateway. */
export type Env = { Variables: { requestId: string } };

/** Writes one line a request, when it is answered. */
export const logRequests =
  (log: Logger): MiddlewareHandler<Env> =>
  async (c, next) => {
    const start = performance.now();
    await next();
    const { method, path } = c.req;
    const ms = Math.round((performance.now() - start) * 10) / 10;
    log.info({ request_id: c.var.requestId, method, path: shownPath(path), status: c.res.status, ms }, "request");
  };
