import { TRPCClientError } from "@trpc/client";
import { refusal } from "./error";
import { secondsOf } from "./wait";

/** tRPC's number for an error of which no more is known; what counts is the status beside it. */
const ANY_ERROR = -32_603;

/** Whether an answer is tRPC's own: one result, or one for each call. */
const isTrpc = (body: unknown) =>
  Array.isArray(body) || typeof (body as { error?: { code?: unknown } } | null)?.error?.code === "number";

/**
 * A fetch for tRPC's links. Not every request comes as far as tRPC: one that is too large or takes too long is answered by
 * the gateway, and some by a proxy before it. Such an answer fails with its status and sentence, as tRPC's own errors do.
 */
export const trpcFetch =
  (fetch: typeof globalThis.fetch): typeof globalThis.fetch =>
  async (input, init) => {
    const response = await fetch(input, init);
    if (response.ok) return response;
    const body: unknown = await response
      .clone()
      .json()
      .catch(() => null);
    if (isTrpc(body)) return response;
    const { message, status } = refusal(response.status, body);
    const data = { httpStatus: status, retryAfter: secondsOf(response.headers.get("retry-after")) };
    throw new TRPCClientError(message, { result: { error: { code: ANY_ERROR, message, data } } });
  };
