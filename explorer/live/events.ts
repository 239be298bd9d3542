import type { StreamedEvent } from "../../client/src/api";
import type { LiveMessage } from "../../client/src/follow";
import type { Live, LiveEvent, Subscription } from "../page";
import { ifAvailable, type OnFailure, type Reads } from "../reads";
import { shownTexts } from "../shown-texts";

/** How many events a page has when it is loaded. The box shows about seven at a time. */
const LOADED_EVENTS = 50;

/** How many events a page shows. */
const MAX_EVENTS = 100;

const shownEvent = ({ id, block_number, timestamp, tx_hash, summary, finality }: StreamedEvent): LiveEvent =>
  shownTexts({ id, block_number, timestamp, tx_hash, summary, finality, isReverted: false });

/** The newest events that concern a page, newest first. Null if they can't be read. */
export async function readEvents(api: Reads, { filter }: Subscription, onFailure: OnFailure): Promise<Live["events"]> {
  if (!filter) return [];
  const recent = await ifAvailable(api.events.recent.query({ ...filter, limit: LOADED_EVENTS }), onFailure);
  return recent?.events.map(shownEvent) ?? null;
}

/** Adds a message of the stream to the events, newest first. A removal marks its event as reverted. */
export function addMessage(events: readonly LiveEvent[], message: LiveMessage): readonly LiveEvent[] {
  switch (message.type) {
    case "event": {
      const others = events.filter(({ id }) => id !== message.data.id);
      return [shownEvent(message.data), ...others].slice(0, MAX_EVENTS);
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
