import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { blockOf, cursorOf, endOfBlock, isInBlock, logIndexOf, parseCursor, START } from "../../api/events/cursor";
import { eventId } from "../../src/lib/event-id";

const hash = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => `0x${Buffer.from(bytes).toString("hex")}` as const);
const place = fc.record({
  block: fc.bigInt({ min: 0n, max: 10n ** 12n - 1n }),
  log: fc.integer({ min: 0, max: 999_999 }),
});

describe("the cursor of an event", () => {
  it("is read back as it was written, with its block and its log index", () => {
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

  it("is another one in every other block at the same place", () => {
    fc.assert(
      fc.property(place, hash, hash, ({ block, log }, one, other) => {
        // A cursor holds the first 8 bytes of the hash, which tell the blocks of one chain apart.
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
  ])("is not read from %j", (text) => {
    expect(parseCursor(text)).toBeNull();
  });
});
