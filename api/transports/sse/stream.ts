import type { EventStream } from "../../events/feed";
import type { Entry } from "../../events/message";
import { failureOf } from "../../http/failure";

type Options = {
  /** How often a stream on which nothing happens shows that it is alive. */
  heartbeatMs: number;
  /** Ends the listening. */
  end: () => void;
  /** Told of a failure of ours. */
  onFault: (error: unknown) => void;
};

/** How long a client may take nothing of what is there for it. */
const STALLED_MS = 60_000;

/** When a client that was cut off is to come back. */
const RETRY_MS = 1_000;

const text = (lines: string) => new Uint8Array(Buffer.from(`${lines}\n\n`));

const together = (entries: readonly Entry[]): Uint8Array => Buffer.concat(entries.map(({ bytes }) => bytes));

/**
 * Writes a stream of events as Server-Sent Events. It takes from the stream only when the client has taken what came before,
 * so nothing piles up here for a slow one; when the stream drops it, the last thing it is told is why. A client that takes
 * nothing at all for long is cut off.
 */
export function eventStreamBody(
  stream: EventStream,
  { heartbeatMs, end, onFault }: Options,
): ReadableStream<Uint8Array> {
  let pending: Promise<IteratorResult<readonly Entry[], void>> | undefined;
  let stalled: NodeJS.Timeout | undefined;
  let cancelled = false;

  /** What comes next, or null when nothing does for a while. The wait goes on with the next call. */
  const next = async () => {
    pending ??= stream.next();
    let timer: NodeJS.Timeout | undefined;
    const quiet = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), heartbeatMs);
    });
    const result = await Promise.race([pending, quiet]).finally(() => clearTimeout(timer));
    if (result !== null) pending = undefined;
    return result;
  };

  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => controller.enqueue(text(`retry: ${RETRY_MS}`)),
      async pull(controller) {
        clearTimeout(stalled);
        try {
          const result = await next();
          if (cancelled) return;
          if (result?.done) return controller.close();
          controller.enqueue(result === null ? text(": still here") : together(result.value));
          stalled = setTimeout(() => {
            cancelled = true;
            end();
            controller.error(new Error("The client takes nothing"));
          }, STALLED_MS);
          stalled.unref();
        } catch (error) {
          if (cancelled) return;
          const { status, message, fault } = failureOf(error);
          if (fault) onFault(error);
          controller.enqueue(text(`event: error\ndata: ${JSON.stringify({ status, error: message })}`));
          controller.close();
        }
      },
      cancel() {
        cancelled = true;
        clearTimeout(stalled);
        end();
      },
    },
    { highWaterMark: 0 },
  );
}
