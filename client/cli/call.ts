import { createTRPCUntypedClient, httpLink, TRPCClientError } from "@trpc/client";
import { z } from "zod";
import type { Service } from "./arguments";
import { Failure, unreachable } from "./failure";
import { nearest } from "./nearest";

const Documented = z.object({ operationId: z.string(), responses: z.record(z.string(), z.unknown()) });

const OpenApi = z.object({ paths: z.record(z.string(), z.record(z.string(), Documented)) });

/** Everything that a service does, as it documents it. */
async function operationsOf(url: string): Promise<z.infer<typeof Documented>[]> {
  const response = await fetch(`${url}/openapi.json`);
  const { paths } = OpenApi.parse(await response.json());
  return Object.values(paths).flatMap((methods) => Object.values(methods));
}

/** What to say about an operation that can't be called. */
async function notCallable(url: string, asked: string): Promise<Failure> {
  const operations = await operationsOf(url).catch((error: unknown) => {
    throw unreachable(url, error);
  });
  const documented = operations.find(({ operationId }) => operationId === asked);
  if (documented && "402" in documented.responses)
    return new Failure(`${asked} is paid for; intentry pay-portfolio buys it`);
  if (documented) return new Failure(`${asked} is not answered at once; ${url}/docs says how to ask for it`);
  const near = nearest(
    asked,
    operations.map(({ operationId }) => operationId),
  );
  const hint = near.length > 0 ? `did you mean ${near.join(" or ")}?` : `${url}/docs has their names`;
  return new Failure(`There is no operation ${asked}; ${hint}`);
}

/** Fetches, and rejects a stream: the command prints one response. */
const fetchAnswer = (url: string, operation: string) => async (address: string | URL | Request, init?: RequestInit) => {
  const response = await fetch(address, init);
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) return response;
  await response.body?.cancel();
  throw new Failure(`${operation} is a stream; read it with curl -N ${url}/events, or with follow of intentry/client`);
};

/** Asks a service for one operation. */
export async function call(
  { url, token }: Service,
  operation: string,
  input: Record<string, unknown>,
): Promise<unknown> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const client = createTRPCUntypedClient({
    links: [httpLink({ url: `${url}/trpc`, headers, fetch: fetchAnswer(url, operation) })],
  });
  try {
    // A POST, which the service takes for what reads as well: which it is need not be known here.
    return await client.mutation(operation, input);
  } catch (error) {
    if (error instanceof TRPCClientError && error.cause instanceof Failure) throw error.cause;
    if (!(error instanceof TRPCClientError) || !error.data) throw unreachable(url, error);
    if (error.message.startsWith("No procedure found")) throw await notCallable(url, operation);
    throw new Failure(error.message);
  }
}
