import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { blockOf, cursorOf, endOfBlock, isInBlock, logIndexOf, parseCursor, START } from "../../api/events/cursor";
import { eventId } from "../../common/rows/event-id";

const hash = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => `0x${Buffer.from(bytes).toString("hex")}` as const);
const place = fc.record({
  block: fc.bigInt({ min: 0n, max: 10n ** 12n - 1n }),
  log: fc.integer({ min: 0, max: 999_999 }),
});

describe("an event id", () => {
  it("parses to its block and log index", () => {
    fc.assert(
      fc.property(place, hash, ({ block, log }, blockHash) => {
        const cursor = cursorOf(eventId(block, log), blockHash);
        expect(parseCursor(cursor.id)).toEqual(cursor);
        expect([blockOf(cursor), logIndexOf(cursor)]).toEqual([block, log]);
        expect(isInBlock(cursor, blockHash)).toBe(true);
        expect(cursor.eventId <= endOfBlock(block)).toBe(true);
      }),
    );
  });

  it("differs between blocks with the same number", () => {
    fc.assert(
      fc.property(place, hash, hash, ({ block, log }, one, other) => {
        // An id contains the first 8 bytes of the block hash.
        fc.pre(one.slice(0, 18) !== other.slice(0, 18));
        const cursor = cursorOf(eventId(block, log), one);
        expect(cursorOf(eventId(block, log), other).id).not.toBe(cursor.id);
        expect(isInBlock(cursor, other)).toBe(false);
      }),
    );
  });

  it.each([
    "",
    "1",
    "000000000001-000000",
    "000000000001-000000-",
    "000000000001-000000-ABCDEF0123456789",
    `${START.id} `,
    `${START.id}\n`,
  ])("does not parse %j", (text) => {
    expect(parseCursor(text)).toBeNull();
  });
});
