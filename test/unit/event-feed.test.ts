import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { EventFeed, TooSlow } from "../../api/events/feed";
import type { EventMessage } from "../../api/events/message";
import { readPosition, START } from "../../api/events/position";
import { type Filter, matches, subjectsOf } from "../../api/events/subjects";
import { runs } from "../support/seed";
import { ChainOfEvents } from "./chain-of-events";

/** A client as the documentation describes it: a list of events, and the id of the last message. */
class Client {
  readonly held: string[] = [];
  readonly problems: string[] = [];
  lastId: string | undefined;
  /** The block up to which its stream has said that all is safe. */
  safeBlock = 0n;

  take({ type, id, data }: EventMessage): void {
    if (type === "open") this.safeBlock = BigInt(data.safe_block_number);
    if (type === "safe") {
      const block = BigInt(data.block_number);
      if (block <= this.safeBlock) this.problems.push(`safe ${block} came after ${this.safeBlock}`);
      this.safeBlock = block;
    }
    if (type === "event") {
      const pending = data.finality === "pending";
      if (pending && BigInt(data.block_number) <= this.safeBlock) this.problems.push(`${data.id} came as pending`);
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
  const feed = new EventFeed(chain.parts());
  open.push(feed);
  return feed;
};
afterEach(() => {
  for (const feed of open.splice(0)) feed.close();
});

/** The ids that a filter leaves of a chain. */
const wanted = (chain: ChainOfEvents, filter: Filter) =>
  chain.blocks.flatMap(({ rows }, place) =>
    rows.flatMap(({ id, blockHash, name, contract, args }) => {
      const about = { event: name, contract, block: BigInt(place + 1), subjects: subjectsOf(name, JSON.parse(args)) };
      return matches(filter, about) ? [`${id}-${blockHash.slice(2, 18)}`] : [];
    }),
  );

/** After so many looks at the log without a message, none is on its way: they take longer than any wait of the feed. */
const QUIET_GLANCES = 5_000;

/** Lets a client listen until it has taken so many messages, or nothing more comes. */
async function listen(
  chain: ChainOfEvents,
  feed: EventFeed,
  client: Client,
  filter: Filter,
  messages: number,
  until: () => boolean,
) {
  const ended = new AbortController();
  const after = readPosition(client.lastId ?? START.id) ?? undefined;
  let left = messages;
  let heardAt = chain.glances;
  const done = () => until() || left <= 0 || chain.glances - heardAt > QUIET_GLANCES;
  const watch = setInterval(() => done() && ended.abort(), 1);
  try {
    for await (const message of feed.messages({ ...(after && { after }), filter }, "test", ended.signal)) {
      client.take(message);
      heardAt = chain.glances;
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
  | { do: "settle"; depth: number }
  | { do: "restart" }
  | { do: "listen"; messages: number };

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
  { weight: 1, arbitrary: fc.record({ do: fc.constant("settle" as const), depth: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restart" as const) }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant("listen" as const), messages: fc.integer({ min: 1, max: 6 }) }) },
);

const filters: Filter[] = [{}, { name: "IntentCancelled" }, { agent: "1" }, { contract: "IntentBook", intent_id: "2" }];

describe("a listener to live events", () => {
  it("holds in the end what the chain holds, through reorgs, restarts and connections lost at any message", {
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
            chain.goBack();
            feed = feedOf(chain);
          }
          if (next.do === "listen") await listen(chain, feed, client, filter, next.messages, settled);
          chain.index();
          if (next.do === "settle") chain.settle(next.depth);
        }
        // A reorg is noticed when the chain has blocks again where it had some.
        for (let more = 0; more < 8; more++) chain.mine(1);
        chain.index();
        const toldAll = () => settled() && client.safeBlock === BigInt(chain.safeBlock);
        await listen(chain, feed, client, filter, Number.POSITIVE_INFINITY, toldAll);
        feed.close();
        expect(client.problems).toEqual([]);
        expect(client.held).toEqual(wanted(chain, filter));
        expect(client.safeBlock).toBe(BigInt(chain.safeBlock));
      }),
      { numRuns: runs(200) },
    );
  });

  const take = async (
    feed: EventFeed,
    count: number,
    subscription: Parameters<EventFeed["messages"]>[0],
    messages: EventMessage[] = [],
  ) => {
    const ended = new AbortController();
    for await (const message of feed.messages(subscription, "test", ended.signal)) {
      messages.push(message);
      if (messages.length >= count) break;
    }
    ended.abort();
    return messages;
  };
  const position = (id: string) => readPosition(id) ?? START;
  const heard = (messages: EventMessage[], count: number) =>
    expect.poll(() => messages.length, { interval: 1 }).toBe(count);
  /** Waits until the reader of a chain has looked at it as it is now. The next look begins after the one before has ended. */
  const lookedAt = (chain: ChainOfEvents) => {
    const before = chain.glances;
    return expect.poll(() => chain.glances - before, { interval: 1 }).toBeGreaterThan(1);
  };

  it("is told at first where it stands, so that nothing is missed if it is cut off before an event comes", async () => {
    const chain = new ChainOfEvents();
    chain.mine(2);
    chain.index();
    const [opened] = await take(feedOf(chain), 1, { filter: {} });
    expect(opened).toEqual({
      type: "open",
      id: chain.ids().at(-1),
      data: { id: chain.ids().at(-1), safe_block_number: "0" },
    });
    chain.mine(1);
    chain.index();
    const [, event] = await take(feedOf(chain), 2, { after: position(opened?.id ?? ""), filter: {} });
    expect(event?.id).toBe(chain.ids().at(-1));
  });

  it("gets a whole event: where it is, what it says, and that it is safe once it can't be removed", async () => {
    const chain = new ChainOfEvents();
    chain.mine(1);
    chain.mine(1);
    chain.index();
    chain.settle(1);
    const [, safe, pending] = await take(feedOf(chain), 3, { filter: { fromBlock: 0n } });
    expect(safe).toEqual({
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
        finality: "safe",
      },
    });
    expect(pending?.data).toMatchObject({ block_number: "2", finality: "pending" });
  });

  it("is told when events have become safe, which moves nothing", async () => {
    const chain = new ChainOfEvents();
    chain.mine(1);
    chain.index();
    const feed = feedOf(chain);
    const taken: EventMessage[] = [];
    const messages = take(feed, 2, { filter: {} }, taken);
    await heard(taken, 1);
    chain.settle(0);
    expect((await messages)[1]).toEqual({ type: "safe", id: null, data: { block_number: "1" } });
  });

  describe("that is told what is safe when it begins", () => {
    /** Four blocks of one event, of which a listener has heard one after the other that the first three are safe. */
    const settledStepByStep = async () => {
      const chain = new ChainOfEvents();
      for (let block = 0; block < 4; block++) chain.mine(1);
      chain.index();
      const feed = feedOf(chain);
      const witness = feed.messages({ filter: {} }, "witness", new AbortController().signal);
      const hears = async () => (await witness.next()).value?.data;
      expect(await hears()).toMatchObject({ safe_block_number: "0" });
      for (const block of [1, 2, 3]) {
        chain.settle(4 - block);
        expect(await hears()).toEqual({ block_number: String(block) });
      }
      return { chain, feed, hears };
    };
    const told = ({ type, data }: EventMessage) => [
      type,
      "safe_block_number" in data ? data.safe_block_number : data.block_number,
      ...("finality" in data ? [data.finality] : []),
    ];

    it("hears it once when it comes back, and then of every safe block after it", async () => {
      const { chain, feed, hears } = await settledStepByStep();
      const client = feed.messages(
        { after: position(chain.ids().at(-1) ?? ""), filter: {} },
        "test",
        new AbortController().signal,
      );
      const next = async () => told((await client.next()).value as EventMessage);
      expect(await next()).toEqual(["open", "3"]);
      chain.settle(0);
      expect(await next()).toEqual(["safe", "4"]);
      chain.mine(1);
      chain.index();
      expect(await next()).toEqual(["event", "5", "pending"]);
      chain.settle(0);
      expect(await next()).toEqual(["safe", "5"]);
      expect(await hears()).toEqual({ block_number: "4" });
    });

    it("hears it once when it begins with a block of the past, whose events are as safe as that", async () => {
      const { chain, feed } = await settledStepByStep();
      const messages = take(feed, 5, { filter: { fromBlock: 2n } });
      chain.mine(1);
      chain.index();
      expect((await messages).map(told)).toEqual([
        ["open", "3"],
        ["event", "2", "safe"],
        ["event", "3", "safe"],
        ["event", "4", "pending"],
        ["event", "5", "pending"],
      ]);
    });

    it("hears of a block that has become safe while it read the past, though a removal came after that", async () => {
      const chain = new ChainOfEvents();
      chain.mine(1);
      chain.mine(1);
      chain.index();
      const feed = feedOf(chain);
      const witness = feed.messages({ filter: {} }, "witness", new AbortController().signal);
      const hears = async () => (await witness.next()).value?.type;
      const client = feed.messages({ filter: { fromBlock: 0n } }, "test", new AbortController().signal);
      const next = async () => told((await client.next()).value as EventMessage);
      expect([await hears(), await next()]).toEqual(["open", ["open", "0"]]);
      chain.settle(1);
      expect(await hears()).toBe("safe");
      chain.drop(1);
      chain.mine(1);
      chain.index();
      expect([await hears(), await hears()]).toEqual(["removed", "event"]);
      expect([await next(), await next(), await next()]).toEqual([
        ["event", "1", "safe"],
        ["safe", "1"],
        ["event", "2", "pending"],
      ]);
    });

    it("hears that events are safe which came in the place of one that it has and that was removed", async () => {
      const chain = new ChainOfEvents();
      chain.mine(1);
      chain.mine(1);
      chain.index();
      const feed = feedOf(chain);
      const witness = feed.messages({ filter: {} }, "witness", new AbortController().signal);
      const hears = async () => (await witness.next()).value?.type;
      expect(await hears()).toBe("open");
      const gone = chain.ids().at(-1) ?? "";
      chain.drop(1);
      chain.mine(1);
      chain.index();
      expect([await hears(), await hears()]).toEqual(["removed", "event"]);
      chain.settle(0);
      expect(await hears()).toBe("safe");
      expect((await take(feed, 3, { after: position(gone), filter: {} })).map(told)).toEqual([
        ["open", "2"],
        ["removed", "2"],
        ["event", "2", "safe"],
      ]);
    });
  });

  it("begins with the block it asks for, even if that is yet to come", async () => {
    const chain = new ChainOfEvents();
    for (let block = 0; block < 4; block++) chain.mine(2);
    chain.index();
    chain.settle(2);
    const blocksFrom = async (fromBlock: bigint, count: number, taken: EventMessage[] = []) =>
      (await take(feedOf(chain), count + 1, { filter: { fromBlock } }, taken))
        .slice(1)
        .map(({ data }) => ("block_number" in data ? data.block_number : ""));
    expect(await blocksFrom(1n, 8)).toEqual(["1", "1", "2", "2", "3", "3", "4", "4"]);
    expect(await blocksFrom(2n, 6)).toEqual(["2", "2", "3", "3", "4", "4"]);
    expect(await blocksFrom(4n, 2)).toEqual(["4", "4"]);
    const taken: EventMessage[] = [];
    const later = blocksFrom(6n, 1, taken);
    await heard(taken, 1);
    chain.mine(1);
    chain.mine(1);
    chain.index();
    expect(await later).toEqual(["6"]);
  });

  it("is refused with a position that nobody knows", async () => {
    const chain = new ChainOfEvents();
    chain.mine(1);
    chain.index();
    const after = position("000000000001-000000-ffffffffffffffff");
    await expect(take(feedOf(chain), 1, { after, filter: {} })).rejects.toMatchObject({ status: 410 });
  });

  it("is told nothing of an index that goes back and comes again", async () => {
    const chain = new ChainOfEvents();
    for (let block = 0; block < 3; block++) chain.mine(1);
    chain.index();
    const feed = feedOf(chain);
    const taken: EventMessage[] = [];
    const messages = take(feed, 5, { filter: { fromBlock: 0n } }, taken);
    await heard(taken, 4);
    chain.goBack();
    await lookedAt(chain);
    chain.index(2);
    await lookedAt(chain);
    chain.mine(1);
    chain.index();
    expect((await messages).slice(1).map(({ type, id }) => [type, id])).toEqual(chain.ids().map((id) => ["event", id]));
  });

  it("that is too slow is dropped, while others go on", async () => {
    const chain = new ChainOfEvents();
    const feed = new EventFeed({ ...chain.parts(), limits: { messages: 10, bytes: 1_000_000 } });
    open.push(feed);
    const ended = new AbortController();
    const slow = await feed.subscribe({ filter: {} }, "slow", ended.signal);
    expect((await slow.next()).value).toHaveLength(1);
    const first = slow.next();
    const taken: EventMessage[] = [];
    const quick = take(feed, 41, { filter: {} }, taken);
    await heard(taken, 1);
    for (let block = 0; block < 40; block++) {
      chain.mine(1);
      chain.index();
      await heard(taken, block + 2);
    }
    expect((await quick).slice(1).map(({ id }) => id)).toEqual(chain.ids());
    expect((await first).value?.[0]?.message.id).toBe(chain.ids()[0]);
    await expect(slow.next()).rejects.toThrow(TooSlow);
    ended.abort();
  });

  it("is one of a limited number, in all and of one client, and leaves its place when it ends", async () => {
    const chain = new ChainOfEvents();
    const feed = new EventFeed({ ...chain.parts(), maxListeners: 3, maxListenersOfClient: 2 });
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

  it("ends at once when the feed is closed, and none is accepted any more", async () => {
    const chain = new ChainOfEvents();
    const feed = feedOf(chain);
    const taken: EventMessage[] = [];
    const all = take(feed, 1_000, { filter: {} }, taken);
    await heard(taken, 1);
    feed.close();
    const stopping = { status: 503, message: "The service is stopping. Connect again with the last id" };
    await expect(all).rejects.toMatchObject(stopping);
    expect(taken.map(({ type }) => type)).toEqual(["open"]);
    await expect(take(feed, 1, { filter: {} })).rejects.toMatchObject(stopping);
  });

  it("waits while the log can't be read, and is refused if it comes then", async () => {
    const chain = new ChainOfEvents();
    chain.mine(1);
    chain.index();
    let away = false;
    const parts = chain.parts();
    const failures: unknown[] = [];
    const away503 = Object.assign(new Error("away"), { code: "ECONNREFUSED" });
    const glance = async () => {
      if (away) throw away503;
      return chain.log.glance();
    };
    const feedWith = () => {
      const feed = new EventFeed({ ...parts, log: { ...parts.log, glance }, onError: (error) => failures.push(error) });
      open.push(feed);
      return feed;
    };
    const feed = feedWith();
    const taken: EventMessage[] = [];
    const messages = take(feed, 2, { filter: {} }, taken);
    await heard(taken, 1);
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
