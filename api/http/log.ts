import type { Logger } from "pino";
import { requestSeconds } from "../metrics/metrics";
import { endRequestSpan } from "../tracing/span";
import { truncatePath } from "./path";

/** Hono variables of a request. */
export type Env = { Variables: { requestId: string; operation?: string; indexHeaders?: Record<string, string> } };

type LoggedRequest = {
  requestId: string;
  method: string;
  path: string;
  /** The name of its operation, or of the transport. */
  operation: string;
  status: number;
  /** Its arrival by `performance.now()`. */
  start: number;
};

/** The operation of requests that match none. */
export const NO_OPERATION = "unknown";

/** Logs and measures a request after its response, and ends its span. */
export function logRequest(log: Logger, { requestId, method, path, operation, status, start }: LoggedRequest): void {
  const elapsed = performance.now() - start;
  requestSeconds.observe({ operation, status }, elapsed / 1000);
  endRequestSpan({ requestId, operation, status });
  const ms = Math.round(elapsed * 10) / 10;
  log.info({ request_id: requestId, method, path: truncatePath(path), status, ms }, "request");
}
