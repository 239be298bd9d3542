import { HttpRequestError, RpcRequestError, TimeoutError } from "viem";

/** Texts of other servers are shortened to this. */
const MAX_LENGTH = 200;

/** One line of printable characters, without the final period. */
const oneLine = (text: string) =>
  text
    .replace(/[\p{C}\s]+/gu, " ")
    .trim()
    .replace(/\.$/, "")
    .slice(0, MAX_LENGTH);

/** The code of a system error, such as ECONNREFUSED. */
const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;

/** The innermost cause, where fetch reports network errors. */
function innermost(error: unknown): unknown {
  if (error instanceof AggregateError && error.errors.length > 0) return innermost(error.errors[0]);
  return error instanceof Error && error.cause !== undefined ? innermost(error.cause) : error;
}

/** The code of a network error, such as ECONNREFUSED. Undefined for other errors. */
export const networkErrorCode = (error: unknown): string | undefined => codeOf(innermost(error));

/**
 * Describes an error in a few words, without the URL of the request.
 *
 * @example
 * describeError(new Error("getaddrinfo ENOTFOUND db.example")) // "getaddrinfo ENOTFOUND db.example"
 */
export function describeError(error: unknown): string {
  if (error instanceof TimeoutError) return "no answer in time";
  if (error instanceof RpcRequestError) return oneLine(`JSON-RPC error ${error.code}: ${error.details}`);
  if (error instanceof HttpRequestError && error.status !== undefined) return `HTTP status ${error.status}`;
  const cause = innermost(error);
  if (error instanceof HttpRequestError && cause === error) return oneLine(error.details);
  if (!(cause instanceof Error)) return oneLine(String(cause));
  return oneLine(cause.message) || codeOf(cause) || cause.name;
}
