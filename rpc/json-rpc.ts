import { HttpRequestError, RpcRequestError, TimeoutError } from "viem";
import { z } from "zod";

export type Call = { method: string; params?: unknown };

const Answer = z.object({
  result: z.unknown().optional(),
  error: z.looseObject({ code: z.number(), message: z.string() }).optional(),
});

/** JSON-RPC's code for a node that limits its clients. */
const LIMIT_EXCEEDED = -32005;

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/**
 * Sends one JSON-RPC request over HTTP and returns its result. Throws viem's errors, as its own transports do: Ponder
 * reads their codes and messages, for example to split the range of an `eth_getLogs`.
 */
export async function postJsonRpc(url: string, call: Call, timeoutMs: number, signal?: AbortSignal): Promise<unknown> {
  const body = { jsonrpc: "2.0", id: 1, ...call };
  // Not AbortSignal.any and AbortSignal.timeout: Node 20 may collect such a signal before it fires.
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
  const answer = Answer.safeParse(parsed(text));
  if (!answer.success) throw new HttpRequestError({ body, url, details: "The answer is not JSON-RPC" });
  if (answer.data.error) throw new RpcRequestError({ body, url, error: answer.data.error });
  return answer.data.result;
}

/**
 * Whether another attempt may succeed: the node was not reached, did not answer in time, failed, or limits its clients. Any
 * other error is the answer to this call.
 */
export function isTransient(error: unknown): boolean {
  if (error instanceof TimeoutError) return true;
  if (error instanceof RpcRequestError) return error.code === LIMIT_EXCEEDED || error.code === 429;
  if (!(error instanceof HttpRequestError)) return false;
  const { status } = error;
  if (status === undefined || status === 408 || status === 429) return true;
  return status >= 500 && status !== 501 && status !== 505;
}

/** How long a node that limits its clients asks them to wait; undefined for other errors. */
export function retryAfterMs(error: unknown): number | undefined {
  if (error instanceof RpcRequestError && isTransient(error)) return 0;
  if (!(error instanceof HttpRequestError) || (error.status !== 429 && error.status !== 503)) return undefined;
  const seconds = Number(error.headers?.get("retry-after") ?? 0);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : 0;
}

/** The error in a few words and without the node's URL, which may hold a key. */
export function reasonOf(error: unknown): string {
  if (error instanceof HttpRequestError && error.status) return `HTTP ${error.status}`;
  if (error instanceof HttpRequestError) return "no connection";
  if (error instanceof RpcRequestError) return `JSON-RPC error ${error.code}`;
  return error instanceof Error ? error.name : "unknown";
}
