import { HTTPException } from "hono/http-exception";
import { type DatabaseProblem, databaseProblemOf } from "../core/database-error";
import { InProgress, OperationError, TooMany, Unauthorized, Unavailable } from "../core/errors";

/** What a failure tells the client. `fault` is a failure of ours, whose details belong into the log alone. */
export type Failure = { status: number; message: string; fault: boolean; headers: Record<string, string> };

const UNFORESEEN = "Something unforeseen happened; the details are in the server's log under this request's id";
const HALF_A_BODY = "body: ended before it was complete";

/** What clients are told of a database that can't serve the request; the details are in the log. */
const databaseSentences: Readonly<Record<DatabaseProblem, string>> = {
  away: "The database does not answer; try again shortly",
  "read-only": "The database is read-only, so nothing was written; try again shortly",
  locked: "The database is busy, so nothing was written; try again shortly",
  "no-index": "The index is not built yet; try again shortly",
};

/** What Node says of a client that hangs up in the middle of its body; the code is also one of a database that is away. */
const isHangUp = (error: unknown) =>
  error instanceof Error && error.message === "aborted" && "code" in error && error.code === "ECONNRESET";

/** When something that is away is worth asking again. */
const SOON = { "retry-after": "5" };

/** What a client's software needs to know to do better. */
function headersOf(error: OperationError | HTTPException): Record<string, string> {
  if (error instanceof TooMany) {
    const { limit, retryAfterSeconds } = error;
    const ratelimit = limit !== undefined && { ratelimit: `limit=${limit}, remaining=0, reset=${retryAfterSeconds}` };
    return { "retry-after": String(retryAfterSeconds), ...ratelimit };
  }
  if ((error instanceof InProgress || error instanceof Unavailable) && error.retryAfterSeconds !== undefined)
    return { "retry-after": String(error.retryAfterSeconds) };
  if (error instanceof Unauthorized) return { "www-authenticate": "Bearer" };
  return error.status === 503 ? SOON : {};
}

/** Turns anything that was thrown into what the client gets. This is the one place that does. */
export function failureOf(error: unknown): Failure {
  if (error instanceof OperationError || error instanceof HTTPException)
    return { status: error.status, message: error.message, fault: false, headers: headersOf(error) };
  if (isHangUp(error)) return { status: 400, message: HALF_A_BODY, fault: false, headers: {} };
  const problem = databaseProblemOf(error);
  if (problem) return { status: 503, message: databaseSentences[problem], fault: true, headers: SOON };
  return { status: 500, message: UNFORESEEN, fault: true, headers: {} };
}
