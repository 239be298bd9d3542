import type { EventFilter, StreamedEvent, StreamFinalized, StreamReady, StreamRemoved } from "./api";
import { failureOf, type IntentryError, noResponse, refusal } from "./error";
import { serverSent } from "./server-sent";
import { secondsOf, wait } from "./wait";

/** A protocol event, its removal by a reorg, or the newest finalized block. `id` is the cursor to resume from. */
export type LiveMessage =
  | { type: "event"; id: string; data: StreamedEvent }
  | { type: "removed"; id: string; data: StreamRemoved }
  | { type: "finalized"; id: string; data: StreamFinalized };

/** A lost connection that is about to be replaced. */
export type Reconnection = {
  /** Why the connection ended. */
  error: IntentryError;
  /** 1 for the first attempt after a working connection. */
  attempt: number;
  /** The delay before the attempt, in milliseconds. */
  delayMs: number;
};

/** How to follow events. */
export type FollowOptions = {
  /** Ends the stream. */
  signal?: AbortSignal;
  /** Called before each reconnection. Throw here to give up. */
  onReconnect?: (reconnection: Reconnection) => void;
  /** Called when the stream has started or resumed. Events from here on are received. */
  onReady?: () => void;
};

/** The function that follows the events of a service. */
export type Follow = (filter?: EventFilter, options?: FollowOptions) => AsyncGenerator<LiveMessage, void, undefined>;

/** The delay of the first reconnection. It doubles with each attempt without a message. */
const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 30_000;

/** The message types that are yielded as they are. `ready` and `dropped` are about the connection. */
const yielded = new Set(["event", "removed", "finalized"]);

const isRetryable = (status: number) => status === 429 || status >= 500;

/** The delay before an attempt: the service's Retry-After, or exponential backoff with up to 20 % of jitter. */
export function reconnectDelay(attempt: number, retryAfterSeconds: number | undefined, random = Math.random()): number {
  if (retryAfterSeconds !== undefined) return retryAfterSeconds * 1000;
  return Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), MAX_DELAY_MS) * (1 + random / 5);
}

/**
 * Follows protocol events: new ones, or from `after` or `from_block` on. After a lost connection it reconnects, with
 * exponential backoff, and resumes after the last message, so every event is received exactly once. A stream
 * that resumes, or starts with `after`, first yields the finalized block if it is newer than the last one.
 */
export async function* follow(
  { url, fetch }: { url: string; fetch: typeof globalThis.fetch },
  filter: EventFilter,
  { signal, onReconnect, onReady }: FollowOptions,
): AsyncGenerator<LiveMessage, void, undefined> {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filter)) if (value !== undefined) query.set(name, String(value));
  let lastId: string | undefined;
  let finalized = -1n;
  let attempt = 0;
  while (!signal?.aborted) {
    let ended = noResponse(url, "the connection was closed");
    let retryAfter: number | undefined;
    const isResumed = lastId !== undefined || filter.after !== undefined;
    const headers = { accept: "text/event-stream", ...(lastId !== undefined && { "last-event-id": lastId }) };
    const response = await fetch(`${url}/events?${query}`, { headers, signal }).catch((error: unknown) => {
      ended = noResponse(url, error);
    });
    if (response && (!response.ok || !response.body)) {
      ended = await failureOf(response);
      if (!isRetryable(response.status)) throw ended;
      retryAfter = secondsOf(response.headers.get("retry-after"));
    } else if (response?.body) {
      const connectedAt = performance.now();
      const messages = untilLost(serverSent(response.body), (error) => {
        ended = noResponse(url, error);
      });
      // Protocol events have the default message type.
      for await (const { event: type = "event", id, data } of messages) {
        lastId = id ?? lastId;
        const parsed = JSON.parse(data);
        if (type === "dropped") ended = droppedWith(parsed);
        if (type === "finalized") finalized = BigInt((parsed as StreamFinalized).block_number);
        if (type === "ready") {
          // The service does not repeat the message of a block that was finalized before the stream was ready.
          const { id: start, finalized_block_number: block_number } = parsed as StreamReady;
          const isNew = BigInt(block_number) > finalized;
          if (isNew) finalized = BigInt(block_number);
          onReady?.();
          if (isNew && isResumed) yield { type: "finalized", id: start, data: { block_number } };
        }
        if (!yielded.has(type)) continue;
        attempt = 0;
        yield { type, id: lastId, data: parsed } as LiveMessage;
      }
      if (performance.now() - connectedAt > MAX_DELAY_MS) attempt = 0;
    }
    if (signal?.aborted) return;
    const delayMs = reconnectDelay(++attempt, retryAfter);
    onReconnect?.({ error: ended, attempt, delayMs });
    await wait(delayMs, signal).catch(() => undefined);
  }
}

/** Yields messages until the connection is lost. Errors of the consumer are not caught. */
async function* untilLost<Message>(messages: AsyncGenerator<Message, void>, onLost: (error: unknown) => void) {
  try {
    for (;;) {
      const next = await messages.next().catch(onLost);
      if (!next || next.done) return;
      yield next.value;
    }
  } finally {
    await messages.return();
  }
}

/** The error in a `dropped` message. */
const droppedWith = (data: { status?: unknown }): IntentryError =>
  refusal(typeof data.status === "number" ? data.status : 503, data);
