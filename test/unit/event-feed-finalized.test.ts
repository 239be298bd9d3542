import { describe, expect, it } from "vitest";
import type { EventMessage } from "../../api/events/message";
import { ChainOfEvents, messagesOf } from "./chain-of-events";
import { closeFeeds, cursor, feedOf, take } from "./feed-of-chain";

closeFeeds();

describe("a subscriber to live events and the finalized block", () => {
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
