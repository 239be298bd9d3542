import type { Logger } from "pino";
import { requestSeconds } from "../telemetry/metrics";
import { endRequestSpan } from "../telemetry/span";

const MAX_PATH_CHARACTERS = 200;

/** Truncates a request path for messages and logs. */
export const truncatePath = (path: string) =>
  path.length > MAX_PATH_CHARACTERS ? `${path.slice(0, MAX_PATH_CHARACTERS)}…` : path;

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

/** Logs and measures a request when there is its response, and ends its span. */
export function logRequest(log: Logger, { requestId, method, path, operation, status, start }: LoggedRequest): void {
  const elapsed = performance.now() - start;
  requestSeconds.observe({ operation, status }, elapsed / 1000);
  endRequestSpan({ requestId, operation, status });
  const ms = Math.round(elapsed * 10) / 10;
  log.info({ request_id: requestId, method, path: truncatePath(path), status, ms }, "request");
}
