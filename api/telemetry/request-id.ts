import { AsyncLocalStorage } from "node:async_hooks";

/** The id of the request that is being served, for logs and for requests to other services. */
const requestIds = new AsyncLocalStorage<string>();

/** Runs `serve` as part of a request. What it starts belongs to the request too, also after the response. */
export const withRequestId = <Result>(id: string, serve: () => Result): Result => requestIds.run(id, serve);

/** Runs work that a request only triggers, and that goes on for all. Its log lines are not those of the request. */
export const outsideRequest = <Result>(run: () => Result): Result => requestIds.exit(run);

/** The header with the current request's id, for a request to another service. Empty outside of a request. */
export function requestIdHeader(): Record<string, string> {
  const id = requestIds.getStore();
  return id === undefined ? {} : { "x-request-id": id };
}

/** The field of log lines with the current request's id. Empty outside of a request. */
export function requestIdField(): Record<string, string> {
  const id = requestIds.getStore();
  return id === undefined ? {} : { request_id: id };
}
