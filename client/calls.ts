import { createTRPCUntypedClient, httpBatchLink, TRPCClientError } from "@trpc/client";
import type { AnyRouter } from "@trpc/server";
import type { Api } from "./api";
import { IntentryError } from "./error";
import type { CallOptions } from "./procedure";
import { retryLink } from "./retry-link";

type Connection = { url: string; token: string | undefined; retries: number; fetch: typeof fetch };

const MAX_BATCH = 50;

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

/** An error of the service in our own terms; any other is as it was, such as that of a call that was given up. */
function errorOf(error: unknown): unknown {
  if (!(error instanceof TRPCClientError)) return error;
  return new IntentryError(error.message, error.data?.httpStatus, { cause: error.cause });
}

/** The calls of a service: what is made at once travels in one request, and what can't be answered now is made again. */
export function callsOf({ url, token, retries, fetch }: Connection): Api {
  const client = createTRPCUntypedClient<AnyRouter>({
    links: [
      retryLink(retries),
      httpBatchLink({
        url: `${url}/trpc`,
        // Inputs may be longer than an address can be.
        methodOverride: "POST",
        maxItems: MAX_BATCH,
        transformer,
        fetch,
        headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      } as never),
    ],
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
