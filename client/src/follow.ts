import type { EventFilter, StreamedEvent, StreamedRemoval, StreamedSafety } from "./api";
import { failureOf, IntentryError } from "./error";
import { serverSent } from "./server-sent";
import { secondsOf, wait } from "./wait";

/** What happens, as it is told: an event, one that a reorg took back, or that events up to a block can't be taken back. */
export type LiveMessage =
  | { type: "event"; id: string; data: StreamedEvent }
  | { type: "removed"; id: string; data: StreamedRemoval }
  | { type: "safe"; id: string; data: StreamedSafety };

export type FollowOptions = { signal?: AbortSignal };

const RECONNECT_SECONDS = 1;

const told = new Set(["event", "removed", "safe"]);

/** Whether a stream that was refused is worth asking for again. */
const isLater = (status: number) => status === 429 || status >= 500;

/**
 * Follows what happens on chain, from now on or from where `after` or `from_block` says. A lost connection is made again, and
 * goes on after the last message: nothing is missed, and nothing told twice.
 */
export async function* follow(
  { url, fetch }: { url: string; fetch: typeof globalThis.fetch },
  filter: EventFilter,
  { signal }: FollowOptions,
): AsyncGenerator<LiveMessage, void, undefined> {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filter)) if (value !== undefined) query.set(name, String(value));
  let last: string | undefined;
  while (!signal?.aborted) {
    let seconds = RECONNECT_SECONDS;
    try {
      const headers = { accept: "text/event-stream", ...(last !== undefined && { "last-event-id": last }) };
      const response = await fetch(`${url}/events?${query}`, { headers, signal });
      if (!response.ok || !response.body) {
        if (!isLater(response.status)) throw await failureOf(response);
        seconds = secondsOf(response.headers.get("retry-after")) ?? seconds;
      } else
        for await (const { type, id, data } of serverSent(response.body)) {
          last = id ?? last;
          if (told.has(type)) yield { type, id: last, data: JSON.parse(data) } as LiveMessage;
        }
    } catch (error) {
      if (error instanceof IntentryError || error instanceof SyntaxError) throw error;
    }
    await wait(seconds * 1000, signal).catch(() => undefined);
  }
}
