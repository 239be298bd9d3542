import { describe, expect, it } from "vitest";
import { SlowSubscriber } from "../../api/events/feed";
import type { EventMessage } from "../../api/events/message";
import { requestIdField, withRequestId } from "../../api/telemetry/request-id";
import { ChainOfEvents } from "./chain-of-events";
import { fastTime } from "./fast-time";
import { closeFeeds, cursor, feedOf, polled, received, take } from "./feed-of-chain";

fastTime();
closeFeeds();

describe("a subscriber to live events", () => {
  it("receives its cursor first, and misses nothing if it is cut off before the first event", async () => {
    const chain = new ChainOfEvents();
    chain.mine(2);
    chain.index();
    const [opened] = await take(feedOf(chain), 1, { filter: {} });
    expect(opened).toEqual({
      type: "ready",
      id: chain.ids().at(-1),
      data: { id: chain.ids().at(-1), finalized_block_number: "0" },
    });
    chain.mine(1);
    chain.index();
    const [, event] = await take(feedOf(chain), 2, { after: cursor(opened?.id ?? ""), filter: {} });
    expect(event?.id).toBe(chain.ids().at(-1));
  });

  it("starts a reader for all, whose errors are not logged with the id of the subscriber's request", async () => {
    const chain = new ChainOfEvents();
    chain.mine(1);
    chain.index();
    const options = chain.options();
    const fields: Record<string, string>[] = [];
    const status = () => {
      fields.push(requestIdField());
      return options.log.status();
    };
    const feed = feedOf(chain, { log: { ...options.log, status } });
    await withRequestId("request-7", () => take(feed, 1, { filter: {} }));
    expect(fields.length).toBeGreaterThan(0);
    expect(fields[0]).toEqual({});
  });

  it("shares each batch of new events with the others at the same event, so that slow ones hold no copies", async () => {
    const SUBSCRIBERS = 20;
    const chain = new ChainOfEvents();
    const feed = feedOf(chain);
    const streams = await Promise.all(
      Array.from({ length: SUBSCRIBERS }, () => feed.subscribe({ filter: {} }, "test", new AbortController().signal)),
    );
    await Promise.all(streams.map((stream) => stream.next()));
    for (let block = 0; block < 3; block++) {
      const batches = Promise.all(streams.map((stream) => stream.next()));
      chain.mine(5);
      chain.index();
      expect(new Set((await batches).map(({ value }) => value)).size).toBe(1);
    }
  });

  it("receives every field of an event, and its finality", async () => {
    const chain = new ChainOfEvents();
    chain.mine(1);
    chain.mine(1);
    chain.index();
    chain.finalize(1);
    const [, finalized, pending] = await take(feedOf(chain), 3, { filter: { fromBlock: 0n } });
    expect(finalized).toEqual({
      type: "event",
      id: chain.ids()[0],
      data: {
        id: chain.ids()[0],
        event: "IntentCancelled",
        contract: "IntentBook",
        block_number: "1",
        block_hash: chain.blocks[0]?.hash,
        log_index: 0,
        timestamp: "1",
        tx_hash: `0x${"cd".repeat(32)}`,
        args: { intentId: "1" },
        summary: "Intent #1 cancelled by its owner",
        finality: "finalized",
      },
    });
    expect(pending?.data).toMatchObject({ block_number: "2", finality: "pending" });
  });

  it("receives the finalized block, which does not move the cursor", async () => {
    const chain = new ChainOfEvents();
    chain.mine(1);
    chain.index();
    const feed = feedOf(chain);
    const taken: EventMessage[] = [];
    const messages = take(feed, 2, { filter: {} }, taken);
    await received(taken, 1);
    chain.finalize(0);
    expect((await messages)[1]).toEqual({ type: "finalized", id: null, data: { block_number: "1" } });
  });

  it("starts at from_block, also at a future block", async () => {
    const chain = new ChainOfEvents();
    for (let block = 0; block < 4; block++) chain.mine(2);
    chain.index();
    chain.finalize(2);
    const blocksFrom = async (fromBlock: bigint, count: number, taken: EventMessage[] = []) =>
      (await take(feedOf(chain), count + 1, { filter: { fromBlock } }, taken))
        .slice(1)
        .map(({ data }) => ("block_number" in data ? data.block_number : ""));
    expect(await blocksFrom(1n, 8)).toEqual(["1", "1", "2", "2", "3", "3", "4", "4"]);
    expect(await blocksFrom(2n, 6)).toEqual(["2", "2", "3", "3", "4", "4"]);
    expect(await blocksFrom(4n, 2)).toEqual(["4", "4"]);
    const taken: EventMessage[] = [];
    const later = blocksFrom(6n, 1, taken);
    await received(taken, 1);
    chain.mine(1);
    chain.mine(1);
    chain.index();
    expect(await later).toEqual(["6"]);
  });

  it("is rejected with 410 at an unknown event id", async () => {
    const chain = new ChainOfEvents();
    chain.mine(1);
    chain.index();
    const after = cursor("000000000001-000000-ffffffffffffffff");
    await expect(take(feedOf(chain), 1, { after, filter: {} })).rejects.toMatchObject({ status: 410 });
  });

  it("receives nothing when the indexer rolls back and indexes the same blocks again", async () => {
    const chain = new ChainOfEvents();
    for (let block = 0; block < 3; block++) chain.mine(1);
    chain.index();
    const feed = feedOf(chain);
    const taken: EventMessage[] = [];
    const messages = take(feed, 5, { filter: { fromBlock: 0n } }, taken);
    await received(taken, 4);
    chain.rollBack();
    await polled(chain);
    chain.index(2);
    await polled(chain);
    chain.mine(1);
    chain.index();
    expect((await messages).slice(1).map(({ type, id }) => [type, id])).toEqual(chain.ids().map((id) => ["event", id]));
  });

  it("that is too slow is dropped, while others continue", async () => {
    const chain = new ChainOfEvents();
    const feed = feedOf(chain, { limits: { messages: 10, bytes: 1_000_000 } });
    const ended = new AbortController();
    const slow = await feed.subscribe({ filter: {} }, "slow", ended.signal);
    expect((await slow.next()).value).toHaveLength(1);
    const first = slow.next();
    const taken: EventMessage[] = [];
    const quick = take(feed, 41, { filter: {} }, taken);
    await received(taken, 1);
    for (let block = 0; block < 40; block++) {
      chain.mine(1);
      chain.index();
      await received(taken, block + 2);
    }
    expect((await quick).slice(1).map(({ id }) => id)).toEqual(chain.ids());
    expect((await first).value?.[0]?.message.id).toBe(chain.ids()[0]);
    await expect(slow.next()).rejects.toThrow(SlowSubscriber);
    ended.abort();
  });

  it("is limited in number, in total and per client, and frees its slot when it ends", async () => {
    const chain = new ChainOfEvents();
    const feed = feedOf(chain, { maxSubscribers: 3, maxSubscribersPerClient: 2 });
    const subscribe = async (client: string) => {
      const ended = new AbortController();
      await feed.subscribe({ filter: {} }, client, ended.signal);
      return ended;
    };
    const first = await subscribe("one");
    await subscribe("one");
    await expect(subscribe("one")).rejects.toMatchObject({ status: 429 });
    await subscribe("two");
    await expect(subscribe("two")).rejects.toMatchObject({ status: 503 });
    first.abort();
    await subscribe("two");
  });

  it("ends when the feed is closed, which accepts no more subscribers", async () => {
    const chain = new ChainOfEvents();
    const feed = feedOf(chain);
    const taken: EventMessage[] = [];
    const all = take(feed, 1_000, { filter: {} }, taken);
    await received(taken, 1);
    feed.close();
    const stopping = { status: 503, message: "The service is stopping. Reconnect with the last event id" };
    await expect(all).rejects.toMatchObject(stopping);
    expect(taken.map(({ type }) => type)).toEqual(["ready"]);
    await expect(take(feed, 1, { filter: {} })).rejects.toMatchObject(stopping);
  });

  // The feed waits for a second in the last two.
  it.concurrent("waits while the log can't be read; a new one is rejected", async ({ expect }) => {
    const chain = new ChainOfEvents();
    chain.mine(1);
    chain.index();
    let away = false;
    const parts = chain.options();
    const failures: unknown[] = [];
    const away503 = Object.assign(new Error("away"), { code: "ECONNREFUSED" });
    const status = async () => {
      if (away) throw away503;
      return chain.log.status();
    };
    const feedWith = () =>
      feedOf(chain, { log: { ...parts.log, status }, onError: (error: unknown) => failures.push(error) });
    const feed = feedWith();
    const taken: EventMessage[] = [];
    const messages = take(feed, 2, { filter: {} }, taken);
    await received(taken, 1);
    away = true;
    await expect.poll(() => failures).toEqual([away503]);
    chain.mine(1);
    chain.index();
    await expect(take(feedWith(), 1, { filter: {} })).rejects.toBe(away503);
    away = false;
    expect((await messages)[1]?.id).toBe(chain.ids().at(-1));
    expect(failures).toEqual([away503, away503]);
  });

  it.concurrent("misses nothing if it starts, or resumes, while the index lacks finalized events", async ({
    expect,
  }) => {
    const chain = new ChainOfEvents();
    for (let block = 0; block < 4; block++) chain.mine(1);
    chain.index();
    chain.finalize(0);
    const feed = feedOf(chain);
    await take(feed, 1, { filter: {} });
    // The database has lost commits, and the indexer starts again.
    chain.rollBack(2);
    const [third = ""] = chain.ids().slice(2);
    const starting = take(feed, 5, { filter: { fromBlock: 0n } });
    const resuming = take(feed, 2, { after: cursor(third), filter: {} });
    await polled(chain);
    chain.index();
    expect((await starting).slice(1).map(({ id }) => id)).toEqual(chain.ids());
    expect((await resuming).map(({ id }) => id)).toEqual(chain.ids().slice(2));
  });
});
