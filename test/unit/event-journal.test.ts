import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareBlocks, type EventBlock } from "../../api/events/compare";
import { Journal } from "../../api/events/journal";
import type { Entry } from "../../api/events/message";

const entry = (id: string | null, bytes = 10): Entry => ({
  message:
    id === null
      ? { type: "safe", id, data: { block_number: "1" } }
      : { type: "open", id, data: { id, safe_block_number: "1" } },
  about: null,
  bytes: new Uint8Array(bytes),
});
const idsOf = (entries: readonly Entry[] | undefined) => entries?.map(({ message }) => message.id);

describe("the journal of what was sent", () => {
  it("gives every listener all that comes after its place, in order, or says that it is given up", () => {
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
          const place = from === 0 ? journal.placeAfter("start") : journal.placeAfter(String(from - 1));
          if (place === undefined) return;
          const taken: (string | null)[] = [];
          for (let next = place; next < journal.end; ) {
            const some = journal.take(next, batch);
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
    expect(journal.take(0, 1_000)).toBeUndefined();
    expect(journal.placeAfter("start")).toBeUndefined();
    const place = journal.placeAfter("46") ?? -1;
    expect(idsOf(journal.take(place, 1_000)?.entries)).toEqual(["47", "48", "49"]);
    journal.append([entry("large", 101)]);
    expect(journal.take(place, 1_000)).toBeUndefined();
    expect(journal.placeAfter("large")).toBe(journal.end);
    expect(journal.take(journal.end, 1_000)).toEqual({ entries: [], next: journal.end });
  });

  it("finds the last place at which a listener stood, and messages without an id move nobody", () => {
    const journal = new Journal("start", { messages: 100, bytes: 1_000 });
    journal.append([entry("a"), entry("b"), entry("a"), entry(null)]);
    expect(journal.placeAfter("a")).toBe(3);
    expect(journal.end).toBe(4);
  });
});

describe("comparing what was sent with what the log has", () => {
  const blocks = (...hashes: string[]): EventBlock[] => hashes.map((hash, place) => ({ number: String(place), hash }));

  it.each([
    { sent: [], present: [], more: false, is: { kept: 0, verdict: "same" } },
    { sent: ["a", "b"], present: ["a", "b"], more: true, is: { kept: 2, verdict: "same" } },
    { sent: ["a", "b", "c"], present: ["a", "x", "y"], more: false, is: { kept: 1, verdict: "replaced" } },
    { sent: ["a", "b", "c"], present: ["a"], more: true, is: { kept: 1, verdict: "replaced" } },
    { sent: ["a", "b", "c"], present: ["a"], more: false, is: { kept: 1, verdict: "missing" } },
    { sent: ["a"], present: [], more: false, is: { kept: 0, verdict: "missing" } },
  ])("$sent and $present, more: $more", ({ sent, present, more, is }) => {
    expect(compareBlocks(blocks(...sent), blocks(...present), more)).toEqual(is);
  });
});
