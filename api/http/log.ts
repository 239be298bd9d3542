import type { Logger } from "pino";
import { truncatePath } from "./path";

/** Hono variables of a request. */
export type Env = { Variables: { requestId: string; indexHeaders?: Record<string, string> } };

type LoggedRequest = { requestId: string; method: string; path: string; status: number; start: number };

/** Logs a request. `start` is its arrival by `performance.now()`. */
export function logRequest(log: Logger, { requestId, method, path, status, start }: LoggedRequest): void {
  const ms = Math.round((performance.now() - start) * 10) / 10;
  log.info({ request_id: requestId, method, path: truncatePath(path), status, ms }, "request");
}
