import type { LiveMessage } from "../../client/src/follow";
import type { ExplorerClient } from "../client";
import type { Live, Subscription } from "../page";
import { concerns, readEvents } from "./events";
import { pause } from "./timing";

const RETRY_MS = 2_000;

/** The status of an event id that the service has forgotten. */
const GONE = 410;

/** Resolves once the page is visible. */
async function untilVisible(): Promise<void> {
  while (document.visibilityState !== "visible")
    await new Promise((resolve) => document.addEventListener("visibilitychange", resolve, { once: true }));
}

/** Aborts when the page is hidden. */
function whileVisible(signal: AbortSignal): AbortSignal {
  const hidden = new AbortController();
  document.addEventListener("visibilitychange", () => hidden.abort(), { once: true, signal });
  return AbortSignal.any([signal, hidden.signal]);
}

/** The id of the newest event, if a reorg can remove it. A stream that starts after it reports the removal. */
const pendingId = (events: Live["events"]) => events?.find(({ finality }) => finality === "pending")?.id;

type Following = {
  client: ExplorerClient;
  /** The block at which the page was loaded. */
  block: bigint;
  /** The events of the page then. */
  events: Live["events"];
  signal: AbortSignal;
  onMessage: (message: LiveMessage) => void;
  /** The service no longer knows the last event. Called with the events that it has now. */
  onExpired: (events: Live["events"]) => void;
  onFailure: (error: unknown) => void;
  reload: () => void;
};

/**
 * Follows the events of a page while it is visible. Browsers open six connections to a host at most, so hidden tabs must
 * not hold one. A page that becomes visible again resumes after the last message, and is loaded again.
 */
export async function followPage(
  subscription: Subscription,
  { client, block, events, signal, onMessage, onExpired, onFailure, reload }: Following,
): Promise<void> {
  let lastId = pendingId(events);
  while (!signal.aborted) {
    await untilVisible();
    const position = lastId === undefined ? { from_block: block } : { after: lastId };
    try {
      for await (const message of client.follow(
        { ...subscription.filter, ...position },
        { signal: whileVisible(signal) },
      )) {
        lastId = message.id;
        onMessage(message);
        if (concerns(message, block)) reload();
      }
      await untilVisible();
      reload();
    } catch (error) {
      if ((error as { status?: unknown }).status === GONE) {
        const current = await readEvents(client, subscription, onFailure);
        lastId = pendingId(current);
        onExpired(current);
      } else onFailure(error);
      await pause(RETRY_MS);
    }
  }
}
