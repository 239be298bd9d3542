import { createTRPCUntypedClient, httpBatchLink, type Operation, splitLink, TRPCClientError } from "@trpc/client";
import type { AnyRouter } from "@trpc/server";
import type { Api } from "./api";
import { IntentryError, noResponse } from "./error";
import { mutations } from "./mutations";
import type { CallOptions } from "./procedure";
import { type ErrorData, retryLink } from "./retry-link";
import { trpcFetch } from "./trpc-fetch";

type Connection = { url: string; token: string | undefined; retries: number; fetch: typeof fetch };

/** The maximum number of calls in a batch. */
const MAX_BATCH = 50;

/** The maximum input size of a batched call. 50 such inputs stay below the service's body limit of 256 KiB. */
const MAX_BATCHED_BYTES = 5_000;

/** Converts bigints to decimal strings, which the service accepts. JSON has no bigint. */
function toJson(value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, toJson(member)]));
}

const identity = <Value>(value: Value) => value;

/** Inputs may contain bigints. Responses are plain JSON. */
const transformer = {
  input: { serialize: toJson, deserialize: identity },
  output: { serialize: identity, deserialize: identity },
};

/** Whether a call's input is too large for a batch. */
const isLong = ({ input }: Operation) =>
  new TextEncoder().encode(JSON.stringify(toJson(input)) ?? "").length > MAX_BATCHED_BYTES;

/** Converts the error of a request to this URL to an IntentryError. Other errors are returned unchanged. */
function errorOf(url: string, error: unknown): unknown {
  if (!(error instanceof TRPCClientError)) return error;
  const { httpStatus, errorCode, details } = (error.data ?? {}) as ErrorData;
  if (httpStatus === undefined && errorCode === undefined) return noResponse(url, error);
  return new IntentryError(error.message, {
    status: httpStatus,
    code: errorCode ?? "unexpected_response",
    details,
    cause: error.cause,
  });
}

/**
 * Makes a call with a signal of its own, which aborts with the caller's. tRPC never removes its listeners from a signal, and
 * the caller's may outlive many calls.
 */
async function callWith(
  url: string,
  signal: AbortSignal | undefined,
  call: (options: CallOptions) => Promise<unknown>,
): Promise<unknown> {
  const own = new AbortController();
  const abort = () => own.abort(signal?.reason);
  if (signal?.aborted) abort();
  signal?.addEventListener("abort", abort, { once: true });
  try {
    return await call(signal ? { signal: own.signal } : {});
  } catch (error) {
    throw signal?.aborted ? signal.reason : errorOf(url, error);
  } finally {
    signal?.removeEventListener("abort", abort);
  }
}

/** The typed calls of a service. Concurrent small calls share one request, and temporary failures are retried. */
export function callsOf({ url, token, retries, fetch }: Connection): Api {
  const requestsOf = (maxItems: number) =>
    httpBatchLink<AnyRouter>({
      url: `${url}/trpc`,
      // Inputs may be longer than a URL can be.
      methodOverride: "POST",
      maxItems,
      transformer,
      fetch: trpcFetch(fetch),
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    } as never);
  const client = createTRPCUntypedClient<AnyRouter>({
    links: [retryLink(retries), splitLink({ condition: isLong, true: requestsOf(1), false: requestsOf(MAX_BATCH) })],
  });
  const operation = (path: string) => {
    const query = (input?: unknown, { signal }: CallOptions = {}) =>
      callWith(url, signal, (options) => client.query(path, input, options));
    const mutate = (input?: unknown, { signal }: CallOptions = {}) =>
      callWith(url, signal, (options) => client.mutation(path, input, options));
    const call: typeof query = (input, options) => (mutations.has(path) ? mutate : query)(input, options);
    return Object.assign(call, { query, mutate });
  };
  /** An object that has every property except `then`, so that `await` doesn't treat it as a promise. */
  const named = <Value>(make: (name: string) => Value) =>
    new Proxy({} as Record<string, Value>, {
      get: (_, name) => (typeof name === "string" && name !== "then" ? make(name) : undefined),
    });
  return named((resource) => named((name) => operation(`${resource}.${name}`))) as unknown as Api;
}
