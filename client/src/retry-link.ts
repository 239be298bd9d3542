import type { Operation, TRPCClientError, TRPCLink } from "@trpc/client";
import type { AnyRouter } from "@trpc/server";
import { observable } from "@trpc/server/observable";

/** The maximum delay before a retry. If the service requests a longer one, the caller receives the error. */
const LONGEST_WAIT_SECONDS = 60;

const FIRST_WAIT_SECONDS = 0.25;

/** Statuses of temporary failures of the service or a proxy. Undefined: no response. */
const temporary: readonly (number | undefined)[] = [undefined, 502, 503, 504];

/** The data of a tRPC error response. */
export type ErrorData = {
  httpStatus?: number;
  errorCode?: string;
  retryAfter?: number;
  details?: Record<string, unknown>;
};

/**
 * The delay in seconds before a failed call is retried. Undefined: no retry. A call with status 429 was not executed, so it is
 * always retried. After other failures it may have been executed, so only queries are retried.
 */
export function secondsToWait(
  error: { data?: ErrorData | null },
  type: Operation["type"],
  attempt: number,
): number | undefined {
  const { httpStatus, retryAfter } = error.data ?? {};
  const isRetryable = httpStatus === 429 || (type === "query" && temporary.includes(httpStatus));
  if (!isRetryable) return undefined;
  const seconds = retryAfter ?? FIRST_WAIT_SECONDS * 2 ** attempt;
  return seconds <= LONGEST_WAIT_SECONDS ? seconds : undefined;
}

/** Retries calls after temporary failures, with the service's Retry-After or exponential backoff. */
export const retryLink =
  (retries: number): TRPCLink<AnyRouter> =>
  () =>
  ({ op, next }) =>
    observable((observer) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      let call: { unsubscribe: () => void } | undefined;
      const attempt = (number: number) => {
        call = next(op).subscribe({
          next: (value) => observer.next(value),
          complete: () => observer.complete(),
          error(error: TRPCClientError<AnyRouter>) {
            const isOver = number >= retries || op.signal?.aborted;
            const seconds = isOver ? undefined : secondsToWait(error, op.type, number);
            if (seconds === undefined) return observer.error(error);
            const stop = () => {
              clearTimeout(timer);
              observer.error(error);
            };
            op.signal?.addEventListener("abort", stop, { once: true });
            timer = setTimeout(() => {
              op.signal?.removeEventListener("abort", stop);
              attempt(number + 1);
            }, seconds * 1000);
          },
        });
      };
      attempt(0);
      return () => {
        clearTimeout(timer);
        call?.unsubscribe();
      };
    });
