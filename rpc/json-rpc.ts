import { HttpRequestError, RpcRequestError, TimeoutError } from "viem";
import { z } from "zod";

export type Call = { method: string; params?: unknown };

const Payload = z.object({
  result: z.unknown().optional(),
  error: z.looseObject({ code: z.number(), message: z.string() }).optional(),
});

/** The JSON-RPC error code for an exceeded rate limit. */
const LIMIT_EXCEEDED = -32005;

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/**
 * Sends one JSON-RPC request over HTTP and returns its result. Throws the same errors as viem's transports, because Ponder
 * reads their codes and messages, for example to split the range of an `eth_getLogs`.
 */
export async function postJsonRpc(url: string, call: Call, timeoutMs: number, signal?: AbortSignal): Promise<unknown> {
  const body = { jsonrpc: "2.0", id: 1, ...call };
  // Not AbortSignal.any and AbortSignal.timeout: Node 20 may garbage-collect such a signal before it fires.
  const controller = new AbortController();
  const abort = () => controller.abort();
  signal?.addEventListener("abort", abort);
  let isTimeout = false;
  const timer = setTimeout(() => {
    isTimeout = true;
    abort();
  }, timeoutMs);
  let response: Response;
  let text: string;
  try {
    const headers = { "content-type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify(body), signal: controller.signal };
    response = await fetch(url, init);
    text = await response.text();
  } catch (error) {
    if (isTimeout) throw new TimeoutError({ body, url });
    throw new HttpRequestError({ body, url, cause: error instanceof Error ? error : new Error(String(error)) });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
  if (!response.ok) {
    const { headers, status, statusText } = response;
    throw new HttpRequestError({ body, url, headers, status, details: text.slice(0, 1_000) || statusText });
  }
  const payload = Payload.safeParse(parsed(text));
  if (!payload.success) throw new HttpRequestError({ body, url, details: "The response is not JSON-RPC" });
  if (payload.data.error) throw new RpcRequestError({ body, url, error: payload.data.error });
  return payload.data.result;
}

/**
 * Whether a retry may succeed: a connection error, a timeout, a server error or a rate limit. Any other error is the
 * node's response to this call.
 */
export function isTransient(error: unknown): boolean {
  if (error instanceof TimeoutError) return true;
  if (error instanceof RpcRequestError) return error.code === LIMIT_EXCEEDED || error.code === 429;
  if (!(error instanceof HttpRequestError)) return false;
  const { status } = error;
  if (status === undefined || status === 408 || status === 429) return true;
  return status >= 500 && status !== 501 && status !== 505;
}

/** The delay that a rate-limited response requests, 0 if it names none. Undefined for other errors. */
export function retryAfterMs(error: unknown): number | undefined {
  if (error instanceof RpcRequestError && isTransient(error)) return 0;
  if (!(error instanceof HttpRequestError) || (error.status !== 429 && error.status !== 503)) return undefined;
  const seconds = Number(error.headers?.get("retry-after") ?? 0);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : 0;
}

/** A short description of the error, without the node's URL, which may contain a key. */
export function reasonOf(error: unknown): string {
  if (error instanceof HttpRequestError && error.status) return `HTTP ${error.status}`;
  if (error instanceof HttpRequestError) return "no connection";
  if (error instanceof RpcRequestError) return `JSON-RPC error ${error.code}`;
  return error instanceof Error ? error.name : "unknown";
}
