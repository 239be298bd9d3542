import type { LiveMessage } from "../../client/src/follow";
import type { LiveEvent } from "../page";
import { shownTexts } from "../shown-texts";

/** How many events a page shows. */
const MAX_EVENTS = 100;

/** Adds a message of the stream to the events, newest first. A removal marks its event as reverted. */
export function addMessage(events: readonly LiveEvent[], message: LiveMessage): readonly LiveEvent[] {
  switch (message.type) {
    case "event": {
      const others = events.filter(({ id }) => id !== message.data.id);
      return [{ ...shownTexts(message.data), isReverted: false }, ...others].slice(0, MAX_EVENTS);
    }
    case "removed":
      return events.map((event) => (event.id === message.data.id ? { ...event, isReverted: true } : event));
    case "finalized": {
      const block = BigInt(message.data.block_number);
      return events.map((event) =>
        event.isReverted || BigInt(event.block_number) > block ? event : { ...event, finality: "finalized" as const },
      );
    }
  }
}

/** Whether a message can have changed a page that was loaded at a block. */
export const concerns = (message: LiveMessage, loadedBlock: bigint): boolean =>
  message.type === "removed" || (message.type === "event" && BigInt(message.data.block_number) >= loadedBlock);
