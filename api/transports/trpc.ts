import { initTRPC, TRPCError, tracked } from "@trpc/server";
import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import { TRPC_ERROR_CODES_BY_KEY } from "@trpc/server/rpc";
import { Hono } from "hono";
import type { Logger } from "pino";
import { codeOfStatus, type ErrorCode } from "../core/error-codes";
import { BadInput, Conflict, type ErrorStatus, OperationError } from "../core/errors";
import { unknownNames } from "../core/input-object";
import type { AnyCall, AnySubscription, Caller } from "../core/operation";
import { parseInput, runOperation, subscribe } from "../core/run";
import { failureOf, reportFailure } from "../http/failure";
import { type Env, reply, setIndexHead } from "../http/reply";
import type { IndexHead } from "../indexed/head";
import type { Context } from "../operations/context";
import { freeCalls, subscriptions } from "../operations/index";
import { batchCounter, type CountBytes, MAX_BATCH } from "./batch";
import { bufferedRequest } from "./rest/body";
import { rejectOtherMethods } from "./rest/routes";

const ENDPOINT = "/trpc";

/** The tRPC code of each error status, or the nearest one. tRPC clients retry after INTERNAL_SERVER_ERROR. */
const codes = {
  400: "BAD_REQUEST",
  401: "UNAUTHORIZED",
  403: "FORBIDDEN",
  404: "NOT_FOUND",
  409: "CONFLICT",
  410: "NOT_FOUND",
  413: "PAYLOAD_TOO_LARGE",
  429: "TOO_MANY_REQUESTS",
  500: "INTERNAL_SERVER_ERROR",
  503: "SERVICE_UNAVAILABLE",
} as const satisfies Record<ErrorStatus, string>;

/** The context of one request. `signal` aborts when the client disconnects. */
type RequestContext = {
  caller: Caller;
  signal: AbortSignal;
  log: Logger;
  onIndexHead: (head: IndexHead) => void;
  countBytes: CountBytes;
};

/** The seconds until a retry of a failed call, if known. */
const retryAfter = ({ cause }: TRPCError) => {
  const seconds = failureOf(cause).headers["retry-after"];
  return seconds === undefined ? undefined : Number(seconds);
};

/** The further fields of a failed call's error, if it has any. */
const detailsOf = ({ cause }: TRPCError) =>
  cause instanceof Conflict && Object.keys(cause.details).length > 0 ? { details: cause.details } : {};

/** The service's code of an error, beside tRPC's own. An error without an expected cause is tRPC's. */
function errorCodeOf({ code, cause }: TRPCError, httpStatus: number): ErrorCode {
  if (cause instanceof OperationError) return cause.code;
  return code === "NOT_FOUND" ? "unknown_route" : codeOfStatus(httpStatus);
}

const trpc = initTRPC.context<RequestContext>();

/** Passes raw input on. The operation validates it. */
const procedure = trpc.create().procedure.input((sent: unknown) => sent);

/** Converts any thrown value to a tRPC error, with the same message as REST. */
function trpcErrorOf(thrown: unknown): TRPCError {
  const { status, message } = failureOf(thrown);
  const code = codes[status as keyof typeof codes] ?? "INTERNAL_SERVER_ERROR";
  return new TRPCError({ code, message, cause: thrown });
}

export const isTrpcPath = (path: string) => path.startsWith(`${ENDPOINT}/`);

/** The error body of a request that fails before tRPC handles it. In a batch, it applies to every call. */
export function trpcFailure(thrown: unknown) {
  const error = trpcErrorOf(thrown);
  const { code, message } = error;
  const failure = failureOf(thrown);
  const data = { code, errorCode: failure.code, httpStatus: failure.status, retryAfter: retryAfter(error) };
  return { error: { message, code: TRPC_ERROR_CODES_BY_KEY[code], data } };
}

/** A mutation for an operation that writes, otherwise a query. Input and output are the same as in REST. */
function procedureOf(context: Context, operation: AnyCall) {
  const resolve = async ({ input, ctx }: { input: unknown; ctx: RequestContext }) => {
    try {
      const output = await runOperation(context, operation, input ?? {}, ctx.caller, ctx);
      ctx.countBytes(() => Buffer.byteLength(JSON.stringify(output)));
      return output;
    } catch (error) {
      reportFailure(error, ctx.log);
      throw trpcErrorOf(error);
    }
  };
  return operation.writes ? procedure.mutation(resolve) : procedure.query(resolve);
}

/** tRPC names the last event id `lastEventId`. An input that is not an object is left for the operation to reject. */
function inputOf({ headers }: AnySubscription, sent: unknown): unknown {
  if (typeof sent !== "object" || sent === null || Array.isArray(sent)) return sent ?? {};
  const field = headers?.["last-event-id"];
  const { lastEventId, ...input } = sent as { lastEventId?: unknown };
  return field === undefined ? input : { ...input, [field]: lastEventId };
}

/** A subscription with the messages of the SSE route. tRPC's clients send the last id when they reconnect. */
function subscriptionOf(context: Context, operation: AnySubscription) {
  return procedure.subscription(async function* ({ input, ctx, signal }) {
    try {
      const sent = parseInput(context, operation, inputOf(operation, input));
      // The first message has an id, so every message can be tracked.
      let lastId = "";
      for await (const entries of await subscribe(context, operation, sent, ctx.caller, signal ?? ctx.signal))
        for (const { message } of entries) {
          lastId = message.id ?? lastId;
          yield tracked(lastId, message);
        }
    } catch (error) {
      reportFailure(error, ctx.log);
      throw trpcErrorOf(error);
    }
  });
}

type Procedures = Record<string, ReturnType<typeof procedureOf> | ReturnType<typeof subscriptionOf>>;

/** The router of all free calls and subscriptions, by name: `agents.get`. */
function routerOf(context: Context) {
  const resources: Record<string, Procedures> = {};
  const add = (resource: string, name: string, added: Procedures[string]) => {
    resources[resource] ??= {};
    resources[resource][name.slice(resource.length + 1)] = added;
  };
  for (const { resource, name, operation } of freeCalls) add(resource, name, procedureOf(context, operation));
  for (const { resource, name, operation } of subscriptions) add(resource, name, subscriptionOf(context, operation));
  const { router } = trpc.create({
    isDev: false,
    sse: { ping: { enabled: true, intervalMs: context.config.eventHeartbeatMs } },
    errorFormatter({ shape, error }) {
      const seconds = error.cause ? retryAfter(error) : undefined;
      const data = { ...shape.data, errorCode: errorCodeOf(error, shape.data.httpStatus), ...detailsOf(error) };
      return { ...shape, data: { ...data, ...(seconds !== undefined && { retryAfter: seconds }) } };
    },
  });
  return router(resources);
}

/** The parameters of tRPC's protocol. Inputs are in `input`, or in the body. */
const queryNames = new Set(["batch", "input", "lastEventId", "Last-Event-Id", "connectionParams"]);

/** The number of calls in a request. A batch has their names in its path, separated by commas. Throws for unknown parameters. */
function callsIn(url: string): number {
  const { pathname, searchParams } = new URL(url);
  const unknown = unknownNames(searchParams.keys(), queryNames);
  if (unknown.length > 0) throw new BadInput(...unknown);
  return searchParams.get("batch") === "1" ? pathname.split(/,|%2c/i).length : 1;
}

/** Serves the free calls, also in batches, and the subscriptions to tRPC clients. */
export function trpcRoutes(context: Context, log: Logger): Hono<Env> {
  const routes = new Hono<Env>();
  const router = routerOf(context);
  routes.on(["GET", "POST"], `${ENDPOINT}/*`, async (c) => {
    c.set("operation", "trpc");
    const { caller } = c.var;
    const calls = callsIn(c.req.url);
    context.limits?.countRequests(caller.client, calls - 1);
    const request: RequestContext = {
      caller,
      signal: c.req.raw.signal,
      log,
      onIndexHead: (head) => setIndexHead(c, head),
      countBytes: batchCounter(calls),
    };
    const response = await fetchRequestHandler({
      endpoint: ENDPOINT,
      req: await bufferedRequest(c),
      router,
      createContext: () => request,
      // The input of a query may exceed the maximum length of a URL.
      allowMethodOverride: true,
      maxBatchSize: MAX_BATCH,
      responseMeta({ errors }) {
        const seconds = errors.map(retryAfter).filter((value) => value !== undefined);
        return seconds.length > 0 ? { headers: { "retry-after": String(Math.max(...seconds)) } } : {};
      },
    });
    const { status, headers } = response;
    // The batches of httpBatchStreamLink are streamed JSON.
    const isStream = headers.get("content-type") !== "application/json" || headers.has("transfer-encoding");
    const body = isStream ? response.body : await response.text();
    return reply(c, { status, headers: Object.fromEntries(headers), body });
  });
  rejectOtherMethods(routes, `${ENDPOINT}/*`, ["GET", "POST"]);
  return routes;
}
