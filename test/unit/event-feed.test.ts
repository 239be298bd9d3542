import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { parseCursor, START } from "../../api/events/cursor";
import { EventFeed, type EventSelection, SlowSubscriber } from "../../api/events/feed";
import { type Filter, matches, subjectsOf } from "../../api/events/filter";
import type { EventMessage } from "../../api/events/message";
import { runs } from "../support/seed";
import { ChainOfEvents, messagesOf } from "./chain-of-events";

/** A client as the documentation describes it: a list of events, and the id of the last message. */
class Client {
  readonly held: string[] = [];
  readonly problems: string[] = [];
  lastId: string | undefined;
  /** The last finalized block in its stream. */
  finalizedBlock = 0n;

  take({ type, id, data }: EventMessage): void {
    if (type === "ready") this.finalizedBlock = BigInt(data.finalized_block_number);
    if (type === "finalized") {
      const block = BigInt(data.block_number);
      if (block <= this.finalizedBlock) this.problems.push(`finalized ${block} came after ${this.finalizedBlock}`);
      this.finalizedBlock = block;
    }
    if (type === "event") {
      const pending = data.finality === "pending";
      if (pending && BigInt(data.block_number) <= this.finalizedBlock) this.problems.push(`${data.id} came as pending`);
      if (this.held.includes(data.id)) this.problems.push(`${data.id} came twice`);
      if (data.id <= (this.held.at(-1) ?? "")) this.problems.push(`${data.id} came after ${this.held.at(-1)}`);
      this.held.push(data.id);
    }
    if (type === "removed") {
      const gone = this.held.pop();
      if (gone !== data.id) this.problems.push(`${data.id} was removed and not ${gone}`);
    }
    if (id !== null) this.lastId = id;
  }
}

const open: EventFeed[] = [];
const feedOf = (chain: ChainOfEvents) => {
  const feed = new EventFeed(chain.options());
  open.push(feed);
  return feed;
};
afterEach(() => {
  for (const feed of open.splice(0)) feed.close();
});

/** The ids of the chain's events that match a filter. */
const wanted = (chain: ChainOfEvents, filter: Filter) =>
  chain.blocks.flatMap(({ rows }, place) =>
    rows.flatMap(({ id, blockHash, name, contract, args }) => {
      const fields = { event: name, contract, block: BigInt(place + 1), subjects: subjectsOf(name, JSON.parse(args)) };
      return matches(filter, fields) ? [`${id}-${blockHash.slice(2, 18)}`] : [];
    }),
  );

/** After this many polls without a message none is pending: they take longer than any delay of the feed. */
const QUIET_POLLS = 5_000;

/** Subscribes a client until it has received this number of messages, or no more arrive. */
async function subscribe(
  chain: ChainOfEvents,
  feed: EventFeed,
  client: Client,
  filter: Filter,
  messages: number,
  until: () => boolean,
) {
  const ended = new AbortController();
  const after = parseCursor(client.lastId ?? START.id) ?? undefined;
  let left = messages;
  let receivedAt = chain.polls;
  const done = () => until() || left <= 0 || chain.polls - receivedAt > QUIET_POLLS;
  const watch = setInterval(() => done() && ended.abort(), 1);
  try {
    for await (const message of messagesOf(feed, { ...(after && { after }), filter }, "test", ended.signal)) {
      client.take(message);
      receivedAt = chain.polls;
      if (--left <= 0) break;
    }
  } finally {
    clearInterval(watch);
    ended.abort();
  }
}

type Step =
  | { do: "mine"; events: number }
  | { do: "reorg"; depth: number; blocks: number[] }
  | { do: "finalize"; depth: number }
  | { do: "restart" }
  | { do: "subscribe"; messages: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("mine" as const), events: fc.nat(3) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("reorg" as const),
      depth: fc.integer({ min: 1, max: 5 }),
      blocks: fc.array(fc.nat(3), { minLength: 1, maxLength: 6 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("finalize" as const), depth: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restart" as const) }) },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant("subscribe" as const), messages: fc.integer({ min: 1, max: 6 }) }),
  },
);

const filters: Filter[] = [{}, { name: "IntentCancelled" }, { agent: "1" }, { contract: "IntentBook", intent_id: "2" }];

describe("a subscriber to live events", () => {
  it("converges to the events of the chain, through reorgs, restarts and connections lost at any message", {
    timeout: runs(120_000),
  }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), fc.constantFrom(...filters), async (steps, filter) => {
        const chain = new ChainOfEvents();
        const client = new Client();
        let feed = feedOf(chain);
        const settled = () => JSON.stringify(client.held) === JSON.stringify(wanted(chain, filter));
        for (const next of steps) {
          if (next.do === "mine") chain.mine(next.events);
          if (next.do === "reorg") {
            chain.drop(next.depth);
            for (const events of next.blocks) chain.mine(events);
          }
          if (next.do === "restart") {
            feed.close();
            chain.rollBack();
            feed = feedOf(chain);
          }
          if (next.do === "subscribe") await subscribe(chain, feed, client, filter, next.messages, settled);
          chain.index();
          if (next.do === "finalize") chain.finalize(next.depth);
        }
        // A reorg is noticed once the chain has new blocks at the same heights.
        for (let more = 0; more < 8; more++) chain.mine(1);
        chain.index();
        const complete = () => settled() && client.finalizedBlock === BigInt(chain.finalizedBlock);
        await subscribe(chain, feed, client, filter, Number.POSITIVE_INFINITY, complete);
        feed.close();
        expect(client.problems).toEqual([]);
        expect(client.held).toEqual(wanted(chain, filter));
        expect(client.finalizedBlock).toBe(BigInt(chain.finalizedBlock));
      }),
      { numRuns: runs(200) },
    );
  });

  const take = async (feed: EventFeed, count: number, selection: EventSelection, messages: EventMessage[] = []) => {
    const ended = new AbortController();
    for await (const message of messagesOf(feed, selection, "test", ended.signal)) {
      messages.push(message);
      if (messages.length >= count) break;
    }
    ended.abort();
    return messages;
  };
  const cursor = (id: string) => parseCursor(id) ?? START;
  const received = (messages: EventMessage[], count: number) =>
    expect.poll(() => messages.length, { interval: 1 }).toBe(count);
  /** Waits until the reader has polled the chain in its current state. Polls do not overlap. */
  const polled = (chain: ChainOfEvents) => {
    const before = chain.polls;
    return expect.poll(() => chain.polls - before, { interval: 1 }).toBeGreaterThan(1);
  };

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

  describe("and the finalized block", () => {
    /** Four blocks of one event, of which the first three were finalized one after the other. */
    const finalizedStepByStep = async () => {
      const chain = new ChainOfEvents();
      for (let block = 0; block < 4; block++) chain.mine(1);
      chain.index();
      const feed = feedOf(chain);
      const witness = messagesOf(feed, { filter: {} }, "witness", new AbortController().signal);
      const witnessed = async () => (await witness.next()).value?.data;
      expect(await witnessed()).toMatchObject({ finalized_block_number: "0" });
      for (const block of [1, 2, 3]) {
        chain.finalize(4 - block);
        expect(await witnessed()).toEqual({ block_number: String(block) });
      }
      return { chain, feed, witnessed };
    };
    const brief = ({ type, data }: EventMessage) => [
      type,
      "finalized_block_number" in data ? data.finalized_block_number : data.block_number,
      ...("finality" in data ? [data.finality] : []),
    ];

    it("receives it once after a reconnect, and then every later one", async () => {
      const { chain, feed, witnessed } = await finalizedStepByStep();
      const client = messagesOf(
        feed,
        { after: cursor(chain.ids().at(-1) ?? ""), filter: {} },
        "test",
        new AbortController().signal,
      );
      const next = async () => brief((await client.next()).value as EventMessage);
      expect(await next()).toEqual(["ready", "3"]);
      chain.finalize(0);
      expect(await next()).toEqual(["finalized", "4"]);
      chain.mine(1);
      chain.index();
      expect(await next()).toEqual(["event", "5", "pending"]);
      chain.finalize(0);
      expect(await next()).toEqual(["finalized", "5"]);
      expect(await witnessed()).toEqual({ block_number: "4" });
    });

    it("receives it once when it starts at a past block, with events of matching finality", async () => {
      const { chain, feed } = await finalizedStepByStep();
      const messages = take(feed, 5, { filter: { fromBlock: 2n } });
      chain.mine(1);
      chain.index();
      expect((await messages).map(brief)).toEqual([
        ["ready", "3"],
        ["event", "2", "finalized"],
        ["event", "3", "finalized"],
        ["event", "4", "pending"],
        ["event", "5", "pending"],
      ]);
    });

    it("receives a block finalized while it caught up, also if a removal came later", async () => {
      const chain = new ChainOfEvents();
      chain.mine(1);
      chain.mine(1);
      chain.index();
      const feed = feedOf(chain);
      const witness = messagesOf(feed, { filter: {} }, "witness", new AbortController().signal);
      const witnessed = async () => (await witness.next()).value?.type;
      const client = messagesOf(feed, { filter: { fromBlock: 0n } }, "test", new AbortController().signal);
      const next = async () => brief((await client.next()).value as EventMessage);
      expect([await witnessed(), await next()]).toEqual(["ready", ["ready", "0"]]);
      chain.finalize(1);
      expect(await witnessed()).toBe("finalized");
      chain.drop(1);
      chain.mine(1);
      chain.index();
      expect([await witnessed(), await witnessed()]).toEqual(["removed", "event"]);
      expect([await next(), await next(), await next()]).toEqual([
        ["event", "1", "finalized"],
        ["finalized", "1"],
        ["event", "2", "pending"],
      ]);
    });

    it("receives finalized events in place of a removed one", async () => {
      const chain = new ChainOfEvents();
      chain.mine(1);
      chain.mine(1);
      chain.index();
      const feed = feedOf(chain);
      const witness = messagesOf(feed, { filter: {} }, "witness", new AbortController().signal);
      const witnessed = async () => (await witness.next()).value?.type;
      expect(await witnessed()).toBe("ready");
      const gone = chain.ids().at(-1) ?? "";
      chain.drop(1);
      chain.mine(1);
      chain.index();
      expect([await witnessed(), await witnessed()]).toEqual(["removed", "event"]);
      chain.finalize(0);
      expect(await witnessed()).toBe("finalized");
      expect((await take(feed, 3, { after: cursor(gone), filter: {} })).map(brief)).toEqual([
        ["ready", "2"],
        ["removed", "2"],
        ["event", "2", "finalized"],
      ]);
    });
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
    const feed = new EventFeed({ ...chain.options(), limits: { messages: 10, bytes: 1_000_000 } });
    open.push(feed);
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
    const feed = new EventFeed({ ...chain.options(), maxSubscribers: 3, maxSubscribersPerClient: 2 });
    open.push(feed);
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

  it("waits while the log can't be read; a new one is rejected", async () => {
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
    const feedWith = () => {
      const feed = new EventFeed({ ...parts, log: { ...parts.log, status }, onError: (error) => failures.push(error) });
      open.push(feed);
      return feed;
    };
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
});
