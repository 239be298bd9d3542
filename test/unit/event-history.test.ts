import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { cursorOf, START } from "../../api/events/cursor";
import { History } from "../../api/events/history";
import { messageMaker } from "../../api/events/message";
import { eventNames } from "../../api/events/protocol-events";
import { ChainOfEvents } from "./chain-of-events";

/** A history of 250 finalized events, with a count of the queries. */
function historyOf(text = "") {
  const chain = new ChainOfEvents();
  for (let block = 0; block < 10; block++) chain.mine(25);
  chain.index();
  if (text)
    for (const { rows } of chain.blocks)
      for (const row of rows) Object.assign(row, { name: "AgentUpdated", args: JSON.stringify({ metadataURI: text }) });
  const queries: string[] = [];
  const { log } = chain;
  const counted = {
    ...log,
    rows: (...range: Parameters<typeof log.rows>) => {
      queries.push(range[0].id);
      return log.rows(...range);
    },
  };
  const last = chain.blocks.at(-1)?.rows.at(-1);
  if (!last) throw new Error("The chain has no events");
  const history = new History({ log: counted, messages: messageMaker(false) });
  return { history, queries, base: cursorOf(last.id, last.blockHash), ids: chain.ids(), chain };
}

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

/** The memory of live objects. */
function usedMegabytes(): number {
  // Buffers are freed by the second run.
  for (let run = 0; run < 2; run++) collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 2 ** 20;
}

describe("the history of events", () => {
  it("has every finalized event, in pages", async () => {
    const { history, base, ids } = historyOf();
    const read: string[] = [];
    let after = START;
    for (;;) {
      const page = (await history.finalized(after, base)) ?? [];
      read.push(...page.map(({ fields }) => fields.cursor.id));
      const last = page.at(-1);
      if (!last) break;
      after = last.fields.cursor;
    }
    expect(read).toEqual(ids);
  });

  it("has all events for one subscriber after another's filter excluded every event", async () => {
    const { history, base } = historyOf();
    expect(await history.finalized(START, base, [])).toEqual([]);
    expect(await history.finalized(START, base)).not.toEqual([]);
  });

  it("reads and encodes a page once for all subscribers at the same event", async () => {
    const { history, queries, base } = historyOf();
    const pages = await Promise.all(Array.from({ length: 1_000 }, () => history.finalized(START, base)));
    expect(new Set(pages).size).toBe(1);
    expect(await history.finalized(START, base)).toBe(pages[0]);
    expect(queries).toHaveLength(1);
    expect(await history.finalized(START, base, ["AgentRevoked"])).not.toBe(pages[0]);
    expect(queries).toHaveLength(2);
  });

  it("keeps at most 16 MiB, of the pages that were used last", async () => {
    const { history, queries, base } = historyOf("x".repeat(50_000));
    // A page of 100 events takes 10 MB: its messages, and all of them in one piece.
    const first = await history.finalized(START, base);
    const second = first?.at(-1)?.fields.cursor ?? START;
    await history.finalized(second, base);
    expect(queries).toHaveLength(2);
    await history.finalized(second, base);
    expect(queries).toHaveLength(2);
    await history.finalized(START, base);
    expect(queries).toHaveLength(3);
  });

  it("takes about the memory that it counts, also for short messages", async () => {
    const { history, base } = historyOf();
    // As the responses of subscribers keep them.
    const inOnePiece = new WeakMap<object, Uint8Array>();
    const before = usedMegabytes();
    for (let number = 0; number < 200; number++) {
      const page = (await history.finalized(START, base, [...eventNames, String(number)])) ?? [];
      inOnePiece.set(page, Buffer.concat(page.map(({ bytes }) => bytes)));
    }
    const grown = usedMegabytes() - before;
    expect(grown).toBeGreaterThan(12);
    expect(grown).toBeLessThan(20);
    // It is still in use, so its pages are not garbage yet.
    expect(await history.finalized(START, base)).toHaveLength(100);
  });

  it("reads a page again after an error", async () => {
    const { base } = historyOf();
    let isFailing = true;
    const chain = new ChainOfEvents();
    const rows = async () => (isFailing ? Promise.reject(new Error("unavailable")) : []);
    const history = new History({ log: { ...chain.log, rows }, messages: messageMaker(false) });
    await expect(history.finalized(START, base)).rejects.toThrow("unavailable");
    isFailing = false;
    expect(await history.finalized(START, base)).toEqual([]);
  });

  it("has no page while the indexer has rolled back, and reads it again afterwards", async () => {
    const { history, base, chain } = historyOf();
    chain.rollBack();
    expect(await history.finalized(START, base)).toBeUndefined();
    chain.index();
    expect(await history.finalized(START, base)).toHaveLength(100);
  });
});
