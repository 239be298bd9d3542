import { TRPCClientError } from "@trpc/client";
import { IntentryError, refusal } from "./error";
import { secondsOf } from "./wait";

/** JSON-RPC's code for an internal error. The client uses the HTTP status instead. */
const INTERNAL_ERROR = -32_603;

/** Whether a body is a tRPC response: one error, or a result for each call. */
const isTrpc = (body: unknown) =>
  Array.isArray(body) || typeof (body as { error?: { code?: unknown } } | null)?.error?.code === "number";

const isJson = ({ headers }: Response) => headers.get("content-type")?.includes("json") ?? false;

/** The error for a response of a server that is not Intentry. */
const unexpected = ({ status, headers }: Response) =>
  new IntentryError(`The response is ${headers.get("content-type") ?? "not JSON"}. Is this the URL of Intentry?`, {
    status,
    code: "unexpected_response",
  });

/**
 * A fetch for tRPC's links. Some error responses don't come from tRPC: the gateway rejects oversized and slow requests, and
 * a proxy may fail. They are converted to tRPC errors with the same status and message.
 */
export const trpcFetch =
  (fetch: typeof globalThis.fetch): typeof globalThis.fetch =>
  async (input, init) => {
    const response = await fetch(input, init);
    if (response.ok && isJson(response)) return response;
    const body: unknown = await response
      .clone()
      .json()
      .catch(() => null);
    if (isTrpc(body)) return response;
    const { message, status, code } = response.ok ? unexpected(response) : refusal(response.status, body);
    const data = { httpStatus: status, errorCode: code, retryAfter: secondsOf(response.headers.get("retry-after")) };
    throw new TRPCClientError(message, { result: { error: { code: INTERNAL_ERROR, message, data } } });
  };
