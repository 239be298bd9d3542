import type { Operation, TRPCClientError, TRPCLink } from "@trpc/client";
import type { AnyRouter } from "@trpc/server";
import { observable } from "@trpc/server/observable";

/** Longer than this a call does not wait by itself: whoever makes it is told instead. */
const LONGEST_WAIT_SECONDS = 60;

const FIRST_WAIT_SECONDS = 0.25;

/** What a proxy says when the service did not answer it, and the service when it can't answer now. */
const unanswered: readonly (number | undefined)[] = [undefined, 502, 503, 504];

/** What the service adds to an error. */
export type ErrorData = { httpStatus?: number; retryAfter?: number };

/**
 * After how many seconds a failed call is to be tried again; undefined, not at all. Too many calls were not carried out and
 * are tried again, whatever they are; what failed in another way may have been, and is tried again if it only reads.
 */
export function secondsToWait(
  error: { data?: ErrorData | null },
  type: Operation["type"],
  attempt: number,
): number | undefined {
  const { httpStatus, retryAfter } = error.data ?? {};
  const isLater = httpStatus === 429 || (type === "query" && unanswered.includes(httpStatus));
  if (!isLater) return undefined;
  const seconds = retryAfter ?? FIRST_WAIT_SECONDS * 2 ** attempt;
  return seconds <= LONGEST_WAIT_SECONDS ? seconds : undefined;
}

/** Tries calls again when the service says that it can't now, as late as it says. */
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
