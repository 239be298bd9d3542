import type { Logger } from "pino";
import { type StreamEntry, z } from "../../core/operation";
import { errorCode } from "../../core/outputs";
import { reportFailure } from "../../http/failure";
import { droppedStreams } from "../../telemetry/metrics";

type Options = {
  /** The interval of heartbeats on an idle stream. */
  heartbeatMs: number;
  /** Ends the subscription. */
  end: () => void;
  /**
   * Resets the connection of a client that does not read. A connection that is only closed stays in the kernel, with the data
   * that was sent, until the client has read it.
   */
  reset: () => void;
  log: Logger;
};

/** The data of `dropped`, the last message of a stream that the service ends. */
export const StreamDropped = z
  .strictObject({
    status: z.int().openapi({ description: "The status of this error as an HTTP response.", example: 503 }),
    error: z.string().openapi({ example: "The service is stopping. Reconnect with the last event id" }),
    code: errorCode,
  })
  .openapi("StreamDropped", {
    description: "`dropped`, the last message of a stream that the service ends, with the reason.",
  });

/** How long a client may leave data unread before its stream is aborted. */
const STALLED_MS = 60_000;

/** The reconnection delay of EventSource. */
const RETRY_MS = 1_000;

const encode = (fields: string) => new Uint8Array(Buffer.from(`${fields}\n\n`));

const dropped = (data: z.input<typeof StreamDropped>) => encode(`event: dropped\ndata: ${JSON.stringify(data)}`);

/** The bytes of batches that several subscribers receive. */
const concatenated = new WeakMap<readonly StreamEntry[], Uint8Array>();

/** The bytes of a batch, in one piece. Subscribers that receive the same array share them. */
function concat(entries: readonly StreamEntry[]): Uint8Array {
  const known = concatenated.get(entries);
  if (known) return known;
  const bytes = Buffer.concat(entries.map((entry) => entry.bytes));
  concatenated.set(entries, bytes);
  return bytes;
}

/**
 * Writes a subscription as Server-Sent Events. It reads from the subscription only after the client has read the previous
 * batch, so nothing is buffered for a slow client.
 */
export function streamBody(
  stream: AsyncGenerator<readonly StreamEntry[], void>,
  { heartbeatMs, end, reset, log }: Options,
): ReadableStream<Uint8Array> {
  let pending: Promise<IteratorResult<readonly StreamEntry[], void>> | undefined;
  let stalled: NodeJS.Timeout | undefined;
  let cancelled = false;

  /** Returns the next batch, or null after `heartbeatMs` without one. The next call then waits for the same batch. */
  const next = async () => {
    pending ??= stream.next();
    let timer: NodeJS.Timeout | undefined;
    const idle = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), heartbeatMs);
    });
    const result = await Promise.race([pending, idle]).finally(() => clearTimeout(timer));
    if (result !== null) pending = undefined;
    return result;
  };

  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => controller.enqueue(encode(`retry: ${RETRY_MS}`)),
      async pull(controller) {
        clearTimeout(stalled);
        try {
          const result = await next();
          if (cancelled) return;
          if (result?.done) return controller.close();
          controller.enqueue(result === null ? encode(": heartbeat") : concat(result.value));
          stalled = setTimeout(() => {
            cancelled = true;
            droppedStreams.inc();
            end();
            reset();
          }, STALLED_MS);
          stalled.unref();
        } catch (error) {
          if (cancelled) return;
          const { status, code, message } = reportFailure(error, log);
          controller.enqueue(dropped({ status, error: message, code }));
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
