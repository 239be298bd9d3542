import { createTRPCUntypedClient, httpLink, TRPCClientError } from "@trpc/client";
import { z } from "zod";
import { nearest } from "../../common/nearest";
import type { Service } from "./arguments";
import { Failure, unreachable } from "./failure";

const Documented = z.object({
  operationId: z.string(),
  summary: z.string(),
  responses: z.record(z.string(), z.unknown()),
});

const OpenApi = z.object({ paths: z.record(z.string(), z.record(z.string(), Documented)) });

/** The data of an error response. */
const ErrorData = z.object({ errorCode: z.string().catch("unexpected_response") });

/** The operations in the OpenAPI document of a service. */
async function operationsOf(url: string): Promise<z.infer<typeof Documented>[]> {
  const response = await fetch(`${url}/openapi.json`);
  const { paths } = OpenApi.parse(await response.json());
  return Object.values(paths).flatMap((methods) => Object.values(methods));
}

/** Every operation of a service with a line about it, by name. */
export async function listOperations({ url }: Service): Promise<{ operation: string; summary: string }[]> {
  const operations = await operationsOf(url).catch((error: unknown) => {
    throw unreachable(url, error);
  });
  return operations
    .map(({ operationId, summary }) => ({ operation: operationId, summary }))
    .sort((one, other) => (one.operation < other.operation ? -1 : 1));
}

/** The error for an operation that is unknown or can't be called. */
async function notCallable(url: string, asked: string): Promise<Failure> {
  const operations = await operationsOf(url).catch((error: unknown) => {
    throw unreachable(url, error);
  });
  const documented = operations.find(({ operationId }) => operationId === asked);
  if (documented && "402" in documented.responses)
    return new Failure(`${asked} requires payment. Use intentry pay-portfolio`, "payment_required");
  if (documented) return new Failure(`${asked} can't be called with this command. See ${url}/docs`, "invalid_input");
  const near = nearest(
    asked,
    operations.map(({ operationId }) => operationId),
  );
  const hint = near.length > 0 ? `Did you mean ${near.join(" or ")}?` : "intentry call lists all operations";
  return new Failure(`Unknown operation ${asked}. ${hint}`, "invalid_input");
}

/** A fetch that rejects event streams, because the command prints a single response. */
const fetchOnce = (url: string, operation: string) => async (address: string | URL | Request, init?: RequestInit) => {
  const response = await fetch(address, init);
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) return response;
  await response.body?.cancel();
  throw new Failure(
    `${operation} is a stream. Read it with intentry events, curl -N ${url}/events, or follow() of the client`,
    "invalid_input",
  );
};

/** Calls one operation and returns its output. */
export async function call(
  { url, token }: Service,
  operation: string,
  input: Record<string, unknown>,
): Promise<unknown> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const client = createTRPCUntypedClient({
    links: [httpLink({ url: `${url}/trpc`, headers, fetch: fetchOnce(url, operation) })],
  });
  try {
    // The service accepts POST for queries too, so the kind of operation doesn't matter here.
    return await client.mutation(operation, input);
  } catch (error) {
    if (error instanceof TRPCClientError && error.cause instanceof Failure) throw error.cause;
    if (!(error instanceof TRPCClientError) || !error.data) throw unreachable(url, error);
    if (error.message.startsWith("No procedure found")) throw await notCallable(url, operation);
    throw new Failure(error.message, ErrorData.parse(error.data).errorCode);
  }
}
