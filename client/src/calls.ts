import { createTRPCUntypedClient, httpBatchLink, type Operation, splitLink, TRPCClientError } from "@trpc/client";
import type { AnyRouter } from "@trpc/server";
import type { Api } from "./api";
import { IntentryError } from "./error";
import type { CallOptions } from "./procedure";
import { retryLink } from "./retry-link";
import { trpcFetch } from "./trpc-fetch";

type Connection = { url: string; token: string | undefined; retries: number; fetch: typeof fetch };

/** How many calls one request carries at most. */
const MAX_BATCH = 50;

/** How long the input of each of them may be, so that together they are shorter than the 256 KiB that the service reads. */
const MAX_BATCHED_BYTES = 5_000;

/** What JSON can't write, in the way that the service reads it. */
function plain(value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
}

const same = <Value>(value: Value) => value;

/** Inputs may have bigints in them; answers are JSON as it is. */
const transformer = {
  input: { serialize: plain, deserialize: same },
  output: { serialize: same, deserialize: same },
};

/** Whether a call has so much to say that it travels alone. */
const isLong = ({ input }: Operation) =>
  new TextEncoder().encode(JSON.stringify(plain(input)) ?? "").length > MAX_BATCHED_BYTES;

/** An error of the service in our own terms; any other is as it was, such as that of a call that was given up. */
function errorOf(error: unknown): unknown {
  if (!(error instanceof TRPCClientError)) return error;
  return new IntentryError(error.message, error.data?.httpStatus, { cause: error.cause });
}

/** The calls of a service: short ones that are made at once travel in one request, and what can't be answered now is made again. */
export function callsOf({ url, token, retries, fetch }: Connection): Api {
  const requestsOf = (maxItems: number) =>
    httpBatchLink<AnyRouter>({
      url: `${url}/trpc`,
      // Inputs may be longer than an address can be.
      methodOverride: "POST",
      maxItems,
      transformer,
      fetch: trpcFetch(fetch),
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    } as never);
  const client = createTRPCUntypedClient<AnyRouter>({
    links: [retryLink(retries), splitLink({ condition: isLong, true: requestsOf(1), false: requestsOf(MAX_BATCH) })],
  });
  const made = (call: Promise<unknown>) =>
    call.catch((error: unknown) => {
      throw errorOf(error);
    });
  const operation = (path: string) => ({
    query: (input?: unknown, options?: CallOptions) => made(client.query(path, input, options)),
    mutate: (input?: unknown, options?: CallOptions) => made(client.mutation(path, input, options)),
  });
  /** An object in which every name is there; of a promise, which an object with `then` would be, it has nothing. */
  const named = <Value>(make: (name: string) => Value) =>
    new Proxy({} as Record<string, Value>, {
      get: (_, name) => (typeof name === "string" && name !== "then" ? make(name) : undefined),
    });
  return named((resource) => named((name) => operation(`${resource}.${name}`))) as unknown as Api;
}
