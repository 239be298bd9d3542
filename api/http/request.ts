import { randomUUID } from "node:crypto";
import type { Context as HonoContext, MiddlewareHandler } from "hono";
import { HTTPException } from "hono/http-exception";
import type { Logger } from "pino";
import type { BaseContext, Config } from "../core/context";
import { withDeadline } from "../core/with-deadline";
import { withRequestId } from "../telemetry/request-id";
import { traceRequest } from "../telemetry/span";
import { callerOf } from "./caller";
import type { Env } from "./reply";

/** Node would silently drop further headers, which may be those of a proxy. */
const MAX_HEADERS = 1_000;

/** The client's request id if it is valid, or a new one. */
const requestIdOf = (sent: string | undefined): string =>
  sent !== undefined && sent !== "" && sent.length <= 255 && !/[^\w\-=]/.test(sent) ? sent : randomUUID();

type Receiving = Pick<BaseContext, "limits"> & { config: Pick<Config, "trustProxy" | "publicBaseUrl" | "writeTokens"> };

/**
 * Middleware that gives each request its id, its caller, its log and its span, and limits its headers and the requests of each
 * client. Its reply is logged: see {@link reply}.
 */
export const receiveRequest = (log: Logger, { config, limits }: Receiving): MiddlewareHandler<Env> => {
  const limitRequest = (c: HonoContext<Env>) => {
    const { rawHeaders = [] } = c.env?.incoming ?? {};
    if (rawHeaders.length > 2 * MAX_HEADERS)
      throw new HTTPException(431, { message: `The request has more than ${MAX_HEADERS} headers; send fewer` });
    limits?.countRequests(c.get("caller").client);
  };
  return (c, next) => {
    c.set("start", performance.now());
    c.set("log", log);
    c.set("requestId", requestIdOf(c.req.header("x-request-id")));
    c.set("caller", callerOf(c, config));
    return traceRequest(c.env ?? {}, () => {
      limitRequest(c);
      return next();
    });
  };
};

/** The time limit of a request. Exceeding it returns 503. */
export const TIME_LIMIT_MS = 15_000;

const tooSlow = () => new HTTPException(503, { message: "The request took too long; try again" });

/** Waits for what a request needs, until the time limit of the request, which arrived at `start` by `performance.now()`. */
export const untilTimeLimit = <Value>(start: number, waiting: Promise<Value>): Promise<Value> =>
  withDeadline(waiting, { ms: Math.max(0, start + TIME_LIMIT_MS - performance.now()), late: tooSlow });

/**
 * Middleware before everything that may wait. What follows runs in the context of the request's id, and until the time limit.
 * In Node 20 both take longer than a reply from the cache, which waits for nothing.
 */
export const mayWait = <Result>(c: HonoContext<Env>, next: () => Promise<Result>): Promise<Result> =>
  withRequestId(c.get("requestId"), () => untilTimeLimit(c.get("start"), next()));
