import { createTRPCUntypedClient, httpLink, TRPCClientError } from "@trpc/client";
import { z } from "zod";
import type { Service } from "./arguments";
import { Failure, unreachable } from "./failure";
import { nearest } from "./nearest";

const OpenApi = z.object({ paths: z.record(z.string(), z.record(z.string(), z.object({ operationId: z.string() }))) });

/** The names of everything that a service does. */
async function operationNames(url: string): Promise<string[]> {
  const { paths } = OpenApi.parse(await (await fetch(`${url}/openapi.json`)).json());
  return Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
}

/** What to say about an operation that can't be called. */
async function notCallable(url: string, operation: string): Promise<Failure> {
  const names = await operationNames(url);
  if (names.includes(operation)) return new Failure(`${operation} is paid for; intentry pay-portfolio buys it`);
  const near = nearest(operation, names);
  const hint = near.length > 0 ? `did you mean ${near.join(" or ")}?` : `${url}/docs has their names`;
  return new Failure(`There is no operation ${operation}; ${hint}`);
}

/** Asks a service for one operation. */
export async function call(
  { url, token }: Service,
  operation: string,
  input: Record<string, unknown>,
): Promise<unknown> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const client = createTRPCUntypedClient({ links: [httpLink({ url: `${url}/trpc`, headers })] });
  try {
    // A POST, which the service takes for what reads as well: which it is need not be known here.
    return await client.mutation(operation, input);
  } catch (error) {
    if (!(error instanceof TRPCClientError) || !error.data) throw unreachable(url, error);
    if (error.message.startsWith("No procedure found")) throw await notCallable(url, operation);
    throw new Failure(error.message);
  }
}
