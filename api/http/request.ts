import { randomUUID } from "node:crypto";
import type { MiddlewareHandler } from "hono";
import { HTTPException } from "hono/http-exception";
import type { Logger } from "pino";
import type { BaseContext, Config } from "../core/context";
import { requestSeconds } from "../telemetry/metrics";
import { withRequestId } from "../telemetry/request-id";
import { endRequestSpan, traceRequest } from "../telemetry/span";
import { callerOf } from "./caller";
import type { Env } from "./reply";

/** Node would silently drop further headers, which may be those of a proxy. */
const MAX_HEADERS = 1_000;

const MAX_PATH_CHARACTERS = 200;

/** Truncates a request path for messages and logs. */
export const truncatePath = (path: string) =>
  path.length > MAX_PATH_CHARACTERS ? `${path.slice(0, MAX_PATH_CHARACTERS)}…` : path;

/** The client's request id if it is valid, or a new one. */
const requestIdOf = (sent: string | undefined): string =>
  sent !== undefined && sent !== "" && sent.length <= 255 && !/[^\w\-=]/.test(sent) ? sent : randomUUID();

type LoggedRequest = {
  requestId: string;
  method: string;
  path: string;
  /** The name of its operation, or of the transport. */
  operation: string;
  status: number;
  /** Its arrival by `performance.now()`. */
  start: number;
};

/** Logs and measures a request after its response, and ends its span. */
export function logRequest(log: Logger, { requestId, method, path, operation, status, start }: LoggedRequest): void {
  const elapsed = performance.now() - start;
  requestSeconds.observe({ operation, status }, elapsed / 1000);
  endRequestSpan({ requestId, operation, status });
  const ms = Math.round(elapsed * 10) / 10;
  log.info({ request_id: requestId, method, path: truncatePath(path), status, ms }, "request");
}

/**
 * Middleware that gives each request its id and its caller, and logs it after its response. Everything that the request does
 * runs in the context of its id and its span.
 */
export const identifyRequest =
  (log: Logger, config: Pick<Config, "trustProxy" | "publicBaseUrl" | "writeTokens">): MiddlewareHandler<Env> =>
  (c, next) => {
    const start = performance.now();
    const requestId = requestIdOf(c.req.header("x-request-id"));
    c.set("requestId", requestId);
    c.set("caller", callerOf(c, config));
    const serve = async () => {
      await next();
      const { method, path } = c.req;
      const operation = c.get("operation") ?? "unknown";
      logRequest(log, { requestId, method, path, operation, status: c.res.status, start });
    };
    return withRequestId(requestId, () => traceRequest(c.env ?? {}, serve));
  };

/** Middleware that limits the headers of a request, and the requests of each client. */
export const limitRequest =
  ({ limits }: Pick<BaseContext, "limits">): MiddlewareHandler<Env> =>
  (c, next) => {
    const { rawHeaders = [] } = c.env?.incoming ?? {};
    if (rawHeaders.length > 2 * MAX_HEADERS)
      throw new HTTPException(431, { message: `The request has more than ${MAX_HEADERS} headers; send fewer` });
    limits?.countRequests(c.get("caller").client);
    return next();
  };
