import type { MiddlewareHandler } from "hono";
import type { Logger } from "pino";
import { truncatePath } from "./path";

/** Hono variables of a request. */
export type Env = { Variables: { requestId: string } };

type LoggedRequest = { requestId: string; method: string; path: string; status: number; start: number };

/** Logs a request. `start` is its arrival by `performance.now()`. */
export function logRequest(log: Logger, { requestId, method, path, status, start }: LoggedRequest): void {
  const ms = Math.round((performance.now() - start) * 10) / 10;
  log.info({ request_id: requestId, method, path: truncatePath(path), status, ms }, "request");
}

/** Middleware that logs one line per request, after the response. */
export const logRequests =
  (log: Logger): MiddlewareHandler<Env> =>
  async (c, next) => {
    const start = performance.now();
    await next();
    const { method, path } = c.req;
    logRequest(log, { requestId: c.var.requestId, method, path, status: c.res.status, start });
  };
