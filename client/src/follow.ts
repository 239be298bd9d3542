import type { EventFilter, StreamedEvent, StreamFinalized, StreamRemoved } from "./api";
import { failureOf, IntentryError } from "./error";
import { serverSent } from "./server-sent";
import { secondsOf, wait } from "./wait";

/** A protocol event, its removal by a reorg, or the newest finalized block. */
export type LiveMessage =
  | { type: "event"; id: string; data: StreamedEvent }
  | { type: "removed"; id: string; data: StreamRemoved }
  | { type: "finalized"; id: string; data: StreamFinalized };

export type FollowOptions = { signal?: AbortSignal };

const RECONNECT_SECONDS = 1;

/** The yielded message types. `ready` and `dropped` only concern the connection. */
const yielded = new Set(["event", "removed", "finalized"]);

const isRetryable = (status: number) => status === 429 || status >= 500;

/**
 * Follows protocol events: new ones, or from `after` or `from_block` on. After a lost connection it reconnects and resumes
 * after the last message, so every event is received exactly once.
 */
export async function* follow(
  { url, fetch }: { url: string; fetch: typeof globalThis.fetch },
  filter: EventFilter,
  { signal }: FollowOptions,
): AsyncGenerator<LiveMessage, void, undefined> {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filter)) if (value !== undefined) query.set(name, String(value));
  let lastId: string | undefined;
  while (!signal?.aborted) {
    let seconds = RECONNECT_SECONDS;
    try {
      const headers = { accept: "text/event-stream", ...(lastId !== undefined && { "last-event-id": lastId }) };
      const response = await fetch(`${url}/events?${query}`, { headers, signal });
      if (!response.ok || !response.body) {
        if (!isRetryable(response.status)) throw await failureOf(response);
        seconds = secondsOf(response.headers.get("retry-after")) ?? seconds;
      }
      // Protocol events have the default message type.
      else
        for await (const { event: type = "event", id, data } of serverSent(response.body)) {
          lastId = id ?? lastId;
          if (yielded.has(type)) yield { type, id: lastId, data: JSON.parse(data) } as LiveMessage;
        }
    } catch (error) {
      if (error instanceof IntentryError || error instanceof SyntaxError) throw error;
    }
    await wait(seconds * 1000, signal).catch(() => undefined);
  }
}
