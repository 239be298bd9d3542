import type { LiveMessage } from "../../client/src/follow";
import type { ExplorerClient } from "../client";
import type { Subscription } from "../page";
import { concerns } from "./events";
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

type Following = {
  client: ExplorerClient;
  /** The block at which the page was loaded. */
  block: bigint;
  signal: AbortSignal;
  onMessage: (message: LiveMessage) => void;
  /** The service no longer knows the last event. The stream starts again. */
  onExpired: () => void;
  onFailure: (error: unknown) => void;
  reload: () => void;
};

/**
 * Follows the events of a page while it is visible. Browsers open six connections to a host at most, so hidden tabs must
 * not hold one. A page that becomes visible again resumes after the last message, and is loaded again.
 */
export async function followPage(
  { filter, pastBlocks = 0 }: Subscription,
  { client, block, signal, onMessage, onExpired, onFailure, reload }: Following,
): Promise<void> {
  const past = BigInt(pastBlocks);
  const start = { from_block: block > past ? block - past : 0n };
  let lastId: string | undefined;
  while (!signal.aborted) {
    await untilVisible();
    const position = lastId === undefined ? start : { after: lastId };
    try {
      for await (const message of client.follow({ ...filter, ...position }, { signal: whileVisible(signal) })) {
        lastId = message.id;
        onMessage(message);
        if (concerns(message, block)) reload();
      }
      await untilVisible();
      reload();
    } catch (error) {
      if ((error as { status?: unknown }).status === GONE) {
        lastId = undefined;
        onExpired();
      } else onFailure(error);
      await pause(RETRY_MS);
    }
  }
}
