import { initTRPC, TRPCError, tracked } from "@trpc/server";
import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import { TRPC_ERROR_CODES_BY_KEY } from "@trpc/server/rpc";
import { Hono } from "hono";
import type { Logger } from "pino";
import type { ErrorStatus } from "../core/errors";
import type { AnyOperation, Caller } from "../core/operation";
import { runOperation } from "../core/run";
import type { EventFeed } from "../events/feed";
import { readSubscription } from "../events/subscription";
import { callerOf } from "../http/caller";
import { failureOf } from "../http/failure";
import { setIndexHeaders } from "../http/index-headers";
import type { Env } from "../http/log";
import type { IndexHead } from "../index/head";
import type { Context } from "../operations/context";
import { freeOperations } from "../operations/index";
import { boundedRequest } from "./rest/body";
import { refuseOtherMethods } from "./rest/routes";
import type { LiveEvents } from "./sse/routes";

const ENDPOINT = "/trpc";

/** How many calls one request may carry. */
const MAX_BATCH = 50;

/** tRPC's name of each status with which an operation can fail, or the nearest; after that of 500 its clients try again. */
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

type Asked = {
  caller: Caller;
  gone: AbortSignal;
  onFault: (error: unknown) => void;
  onIndexHead: (head: IndexHead) => void;
};

/** After how many seconds a failed call is worth trying again, if that is known. */
const retryAfter = ({ cause }: TRPCError) => {
  const seconds = failureOf(cause).headers["retry-after"];
  return seconds === undefined ? undefined : Number(seconds);
};

const trpc = initTRPC.context<Asked>();

/** What was sent is read where it is run. */
const procedure = trpc.create().procedure.input((sent: unknown) => sent);

/** The error that REST would answer with, in tRPC's terms. */
function trpcErrorOf(thrown: unknown): TRPCError {
  const { status, message } = failureOf(thrown);
  const code = codes[status as keyof typeof codes] ?? "INTERNAL_SERVER_ERROR";
  return new TRPCError({ code, message, cause: thrown });
}

/** Whether tRPC's clients ask there. */
export const isTrpcPath = (path: string) => path.startsWith(`${ENDPOINT}/`);

/** What is told to tRPC's clients of a request that fails before it comes to tRPC; of several calls, it is of each. */
export function trpcFailure(thrown: unknown) {
  const error = trpcErrorOf(thrown);
  const { code, message } = error;
  const data = { code, httpStatus: failureOf(thrown).status, retryAfter: retryAfter(error) };
  return { error: { message, code: TRPC_ERROR_CODES_BY_KEY[code], data } };
}

/** A query for what reads and a mutation for what writes, with the input and the answer of REST. */
function procedureOf(context: Context, operation: AnyOperation) {
  const resolve = async ({ input, ctx }: { input: unknown; ctx: Asked }) => {
    try {
      return (await runOperation(context, operation, input ?? {}, ctx.caller, ctx)).output;
    } catch (error) {
      if (failureOf(error).fault) ctx.onFault(error);
      throw trpcErrorOf(error);
    }
  };
  return operation.writes ? procedure.mutation(resolve) : procedure.query(resolve);
}

/** What a listener asks for, as `GET /events` names it; what is no object is left for it to refuse. */
function wantedOf(sent: unknown): unknown {
  if (typeof sent !== "object" || sent === null || Array.isArray(sent)) return sent ?? {};
  const { lastEventId, ...wanted } = sent as { lastEventId?: unknown };
  return { ...wanted, last_event_id: lastEventId };
}

/** The live events, as `GET /events` sends them; a client that connects again says by itself where it was. */
function subscriptionOf(feed: EventFeed) {
  return procedure.subscription(async function* ({ input, ctx, signal }) {
    try {
      const subscription = readSubscription(wantedOf(input));
      // The first message says where the stream begins, so there is a place from then on.
      let place = "";
      for await (const message of feed.messages(subscription, ctx.caller.client, signal ?? ctx.gone)) {
        place = message.id ?? place;
        yield tracked(place, message);
      }
    } catch (error) {
      if (failureOf(error).fault) ctx.onFault(error);
      throw trpcErrorOf(error);
    }
  });
}

type Procedures = Record<string, ReturnType<typeof procedureOf> | ReturnType<typeof subscriptionOf>>;

/** The router of all operations that are free, each under its name: `agents.get`. */
function routerOf(context: Context, events: LiveEvents | undefined) {
  const resources: Record<string, Procedures> = events ? { events: { subscribe: subscriptionOf(events.feed) } } : {};
  for (const { resource, name, operation } of freeOperations) {
    resources[resource] ??= {};
    resources[resource][name.slice(resource.length + 1)] = procedureOf(context, operation);
  }
  const { router } = trpc.create({
    isDev: false,
    sse: { ping: { enabled: true, intervalMs: events?.heartbeatMs } },
    errorFormatter({ shape, error }) {
      const seconds = error.cause ? retryAfter(error) : undefined;
      return { ...shape, data: { ...shape.data, ...(seconds !== undefined && { retryAfter: seconds }) } };
    },
  });
  return router(resources);
}

/** Serves every free operation to typed clients, one or several in a request. */
export function trpcRoutes(context: Context, log: Logger, events?: LiveEvents): Hono<Env> {
  const routes = new Hono<Env>();
  const router = routerOf(context, events);
  routes.on(["GET", "POST"], `${ENDPOINT}/*`, async (c) => {
    const asked: Asked = {
      caller: callerOf(c, context.config),
      gone: c.req.raw.signal,
      onFault: (error) => log.error({ request_id: c.var.requestId, err: error }, "failed request"),
      onIndexHead: (head) => setIndexHeaders(c, head),
    };
    return fetchRequestHandler({
      endpoint: ENDPOINT,
      req: await boundedRequest(c),
      router,
      createContext: () => asked,
      // Inputs may be longer than an address can be.
      allowMethodOverride: true,
      maxBatchSize: MAX_BATCH,
      responseMeta({ errors }) {
        const seconds = errors.map(retryAfter).filter((value) => value !== undefined);
        return seconds.length > 0 ? { headers: new Headers({ "retry-after": String(Math.max(...seconds)) }) } : {};
      },
    });
  });
  refuseOtherMethods(routes, `${ENDPOINT}/*`, ["GET", "POST"]);
  return routes;
}
