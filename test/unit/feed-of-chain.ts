import { afterAll, vi } from "vitest";
import { parseCursor, START } from "../../api/events/cursor";
import { EventFeed, type EventSelection } from "../../api/events/feed";
import type { EventMessage } from "../../api/events/message";
import { type ChainOfEvents, messagesOf } from "./chain-of-events";

const open: EventFeed[] = [];

/** Closes the feeds of {@link feedOf} at the end of the file. */
export const closeFeeds = () =>
  afterAll(() => {
    for (const feed of open.splice(0)) feed.close();
  });

/** A feed of the chain's events, optionally with other options than usual. */
export const feedOf = (chain: ChainOfEvents, options: Partial<ReturnType<ChainOfEvents["options"]>> = {}) => {
  const feed = new EventFeed({ ...chain.options(), ...options });
  open.push(feed);
  return feed;
};

/** Subscribes until it has received this number of messages. */
export const take = async (
  feed: EventFeed,
  count: number,
  selection: EventSelection,
  messages: EventMessage[] = [],
) => {
  const ended = new AbortController();
  for await (const message of messagesOf(feed, selection, "test", ended.signal)) {
    messages.push(message);
    if (messages.length >= count) break;
  }
  ended.abort();
  return messages;
};
export const cursor = (id: string) => parseCursor(id) ?? START;
export const received = (messages: EventMessage[], count: number) =>
  vi.waitUntil(() => messages.length === count, { interval: 1, timeout: 20_000 });
/** Waits until the reader has polled the chain in its current state. Polls do not overlap. */
export const polled = (chain: ChainOfEvents) => {
  const before = chain.polls;
  return vi.waitUntil(() => chain.polls - before > 1, { interval: 1, timeout: 20_000 });
};
