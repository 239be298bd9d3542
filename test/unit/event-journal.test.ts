import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareBlocks, type EventBlock } from "../../api/events/compare-blocks";
import { Journal } from "../../api/events/journal";
import type { Entry, EventMessage } from "../../api/events/message";

const entry = (id: string | null, size = 10): Entry => {
  const message: EventMessage =
    id === null
      ? { type: "finalized", id, data: { block_number: "1" } }
      : { type: "ready", id, data: { id, finalized_block_number: "1" } };
  return { type: message.type, id, message, fields: null, bytes: Buffer.alloc(size), size };
};
const idsOf = (entries: readonly Entry[] | undefined) => entries?.map(({ id }) => id);

describe("the journal", () => {
  it("returns all entries after an offset, in order, or none if the offset was evicted", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 60 }),
        fc.nat(60),
        fc.integer({ min: 1, max: 100 }),
        (sizes, from, batch) => {
          const journal = new Journal("start", { messages: 20, bytes: 300 });
          sizes.forEach((size, number) => {
            journal.append([entry(String(number), size)]);
          });
          const offset = from === 0 ? journal.offsetAfter("start") : journal.offsetAfter(String(from - 1));
          if (offset === undefined) return;
          const taken: (string | null)[] = [];
          for (let next = offset; next < journal.end; ) {
            const some = journal.read(next, batch);
            expect(some?.entries).not.toHaveLength(0);
            taken.push(...(idsOf(some?.entries) ?? []));
            next = some?.next ?? journal.end;
          }
          expect(taken).toEqual(sizes.map((_, number) => String(number)).slice(from));
        },
      ),
    );
  });

  it("keeps no more than its limits, in number and in bytes", () => {
    const journal = new Journal("start", { messages: 4, bytes: 100 });
    for (let number = 0; number < 50; number++) journal.append([entry(String(number), 1)]);
    expect(journal.read(0, 1_000)).toBeUndefined();
    expect(journal.offsetAfter("start")).toBeUndefined();
    const offset = journal.offsetAfter("46") ?? -1;
    expect(idsOf(journal.read(offset, 1_000)?.entries)).toEqual(["47", "48", "49"]);
    journal.append([entry("large", 101)]);
    expect(journal.read(offset, 1_000)).toBeUndefined();
    expect(journal.offsetAfter("large")).toBe(journal.end);
    expect(journal.read(journal.end, 1_000)).toEqual({ entries: [], next: journal.end });
  });

  it("finds the last offset of a cursor, which messages without an id do not move", () => {
    const journal = new Journal("start", { messages: 100, bytes: 1_000 });
    journal.append([entry("a"), entry("b"), entry("a"), entry(null)]);
    expect(journal.offsetAfter("a")).toBe(3);
    expect(journal.end).toBe(4);
  });
});

describe("comparing the blocks that were sent with the log", () => {
  const blocks = (...hashes: string[]): EventBlock[] => hashes.map((hash, place) => ({ number: String(place), hash }));

  it.each([
    { sent: [], present: [], more: false, is: { kept: 0, verdict: "same" } },
    { sent: ["a", "b"], present: ["a", "b"], more: true, is: { kept: 2, verdict: "same" } },
    { sent: ["a", "b", "c"], present: ["a", "x", "y"], more: false, is: { kept: 1, verdict: "orphaned" } },
    { sent: ["a", "b", "c"], present: ["a"], more: true, is: { kept: 1, verdict: "orphaned" } },
    { sent: ["a", "b", "c"], present: ["a"], more: false, is: { kept: 1, verdict: "missing" } },
    { sent: ["a"], present: [], more: false, is: { kept: 0, verdict: "missing" } },
  ])("$sent and $present, more: $more", ({ sent, present, more, is }) => {
    expect(compareBlocks(blocks(...sent), blocks(...present), more)).toEqual(is);
  });
});
