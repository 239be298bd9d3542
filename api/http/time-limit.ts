import { HTTPException } from "hono/http-exception";
import { withDeadline } from "../core/with-deadline";

/** The time limit of a request. Exceeding it returns 503. */
export const TIME_LIMIT_MS = 15_000;

const tooSlow = () => new HTTPException(503, { message: "The request took too long; try again" });

/** Waits for what a request needs, until the time limit of the request, which arrived at `start` by `performance.now()`. */
export const untilTimeLimit = <Value>(start: number, waiting: Promise<Value>): Promise<Value> =>
  withDeadline(waiting, { ms: Math.max(0, start + TIME_LIMIT_MS - performance.now()), late: tooSlow });
