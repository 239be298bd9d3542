import { HTTPException } from "hono/http-exception";
import type { Logger } from "pino";
import { codeOfStatus, type ErrorCode } from "../core/error-codes";
import { Conflict, InProgress, OperationError, TooMany, Unauthorized, Unavailable } from "../core/errors";
import { type DatabaseProblem, databaseProblemOf } from "../indexed/problem";
import { requestIdField } from "../telemetry/request-id";

/** The error response. `fault` marks a server error, whose details go only to the log. */
export type Failure = {
  status: number;
  code: ErrorCode;
  message: string;
  fault: boolean;
  headers: Record<string, string>;
  /** Further fields beside `error` and `code`. */
  details?: Readonly<Record<string, unknown>>;
};

const INTERNAL_ERROR = "Internal error; the server's log has the details under this request's id";
const INCOMPLETE_BODY = "body: ended before it was complete; send the whole body";

/** Client messages for database errors. The log has the details. */
const databaseMessages: Readonly<Record<DatabaseProblem, string>> = {
  unavailable: "The database does not answer; try again shortly",
  "read-only": "The database is read-only, so nothing was written; try again shortly",
  locked: "The database is busy, so nothing was written; try again shortly",
  slow: "The database took too long; try again shortly",
  "no-index": "The index is not built yet; try again shortly",
};

/** Node's error when a client disconnects during its body. The code alone could also be a database error. */
const isClientAbort = (error: unknown) =>
  error instanceof Error && error.message === "aborted" && "code" in error && error.code === "ECONNRESET";

/** The default for 503 responses, in seconds. */
const RETRY_AFTER = { "retry-after": "5" };

/** Headers that help a client to retry or authenticate. */
function headersOf(error: OperationError | HTTPException): Record<string, string> {
  if (error instanceof TooMany) {
    const { limit, retryAfterSeconds } = error;
    const ratelimit = limit !== undefined && { ratelimit: `limit=${limit}, remaining=0, reset=${retryAfterSeconds}` };
    return { "retry-after": String(retryAfterSeconds), ...ratelimit };
  }
  if ((error instanceof InProgress || error instanceof Unavailable) && error.retryAfterSeconds !== undefined)
    return { "retry-after": String(error.retryAfterSeconds) };
  if (error.status === 431) return { connection: "close" };
  if (error instanceof Unauthorized) return { "www-authenticate": "Bearer" };
  return error.status === 503 ? RETRY_AFTER : {};
}

/** The maximum length of a message. Messages about invalid input may contain some of it. */
const MAX_MESSAGE_CHARACTERS = 4_000;

const shortened = (message: string) =>
  message.length > MAX_MESSAGE_CHARACTERS ? `${message.slice(0, MAX_MESSAGE_CHARACTERS)}…` : message;

/** Maps any thrown value to an error response, and logs a server error with the id of its request. */
export function reportFailure(error: unknown, log: Logger, id = requestIdField()): Failure {
  const failure = failureOf(error);
  if (failure.fault) log.error({ ...id, err: error }, "failed request");
  return failure;
}

/** Maps any thrown value to an error response. All transports use this mapping. */
export function failureOf(error: unknown): Failure {
  if (error instanceof OperationError || error instanceof HTTPException) {
    const { status, message } = error;
    const code = error instanceof OperationError ? error.code : codeOfStatus(status);
    const details = error instanceof Conflict ? error.details : {};
    return { status, code, message: shortened(message), fault: false, headers: headersOf(error), details };
  }
  if (isClientAbort(error))
    return { status: 400, code: "invalid_input", message: INCOMPLETE_BODY, fault: false, headers: {} };
  const problem = databaseProblemOf(error);
  if (problem) {
    const message = databaseMessages[problem];
    return { status: 503, code: "unavailable", message, fault: true, headers: RETRY_AFTER };
  }
  return { status: 500, code: "internal_error", message: INTERNAL_ERROR, fault: true, headers: {} };
}
