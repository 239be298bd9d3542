import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseCursor, START } from "../../api/events/cursor";
import type { EventFeed } from "../../api/events/feed";
import { type Filter, matches, subjectsOf } from "../../api/events/filter";
import type { EventMessage } from "../../api/events/message";
import { runs } from "../support/seed";
import { ChainOfEvents, messagesOf } from "./chain-of-events";
import { closeFeeds, feedOf } from "./feed-of-chain";

closeFeeds();

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
  | { do: "crash"; lost: number; messages: number }
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
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("crash" as const),
      lost: fc.nat(3),
      messages: fc.integer({ min: 1, max: 6 }),
    }),
  },
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
          if (next.do === "crash") {
            // The database loses commits. The index is incomplete while a subscriber reads it.
            chain.rollBack(next.lost);
            const indexing = setTimeout(() => chain.index(), 5);
            await subscribe(chain, feed, client, filter, next.messages, settled);
            clearTimeout(indexing);
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
      { numRuns: runs(100) },
    );
  });
});
