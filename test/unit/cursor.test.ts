import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readCursor, writeCursor } from "../../api/core/cursor";
import { anyText } from "../support/any-text";
import { runs } from "../support/seed";

const SECRET = "a secret";
const LIST = 'GET /intents {"status":"open"}';
const BASE64URL = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"];

/** Any sort key, including strings that no list has: with lone surrogates, NUL and quotes. */
const key = fc.array(fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 256n }).map(String), anyText()), {
  maxLength: 4,
});
const list = fc.oneof(fc.constant(LIST), fc.string({ unit: "grapheme" }));
const secret = fc.string({ minLength: 1 });

describe("a cursor", () => {
  it("decodes to the key that was encoded", () => {
    fc.assert(
      fc.property(secret, list, key, (secret, list, key) => {
        expect(readCursor(secret, list, writeCursor(secret, list, key))).toEqual(key);
      }),
    );
  });

  it("needs no escaping in a URL", () => {
    fc.assert(
      fc.property(list, key, (list, key) => {
        const cursor = writeCursor(SECRET, list, key);
        expect(encodeURIComponent(cursor)).toBe(cursor);
      }),
    );
  });

  it("is rejected if any character was changed", () => {
    fc.assert(
      fc.property(
        key,
        fc.nat(),
        fc.oneof(fc.constantFrom(...BASE64URL), fc.string({ minLength: 1, maxLength: 1 })),
        (key, place, character) => {
          const cursor = writeCursor(SECRET, LIST, key);
          const at = place % cursor.length;
          fc.pre(cursor[at] !== character);
          const changed = cursor.slice(0, at) + character + cursor.slice(at + 1);
          expect(readCursor(SECRET, LIST, changed)).toBeNull();
        },
      ),
      { numRuns: runs(500) },
    );
  });

  it("is rejected if it was truncated, extended or padded", () => {
    fc.assert(
      fc.property(key, fc.nat(), fc.constantFrom("A", "AAAA", "=", "==", " ", "\n", "\0"), (key, place, more) => {
        const cursor = writeCursor(SECRET, LIST, key);
        expect(readCursor(SECRET, LIST, cursor.slice(0, place % cursor.length))).toBeNull();
        expect(readCursor(SECRET, LIST, cursor + more)).toBeNull();
        expect(readCursor(SECRET, LIST, more + cursor)).toBeNull();
      }),
    );
  });

  it("is rejected in standard base64", () => {
    // With this key the two alphabets differ: the payload has bytes that base64 writes with + and /.
    const cursor = writeCursor(SECRET, LIST, ["ÿ>>???ÿÿ~~~"]);
    const ordinary = Buffer.from(cursor, "base64url").toString("base64").replace(/=+$/, "");
    expect(ordinary).not.toBe(cursor);
    expect(readCursor(SECRET, LIST, ordinary)).toBeNull();
  });

  it("is rejected if invalid UTF-8 decodes to the signed text", () => {
    const cursor = Buffer.from(writeCursor(SECRET, LIST, ["\uFFFD"]), "base64url");
    const replaced = cursor.indexOf(Buffer.from("\uFFFD"));
    // The first three bytes of a longer character, which decode to U+FFFD as well.
    cursor.set([0xf0, 0x90, 0x80], replaced);
    expect(cursor.subarray(12).toString()).toBe('["\uFFFD"]');
    expect(readCursor(SECRET, LIST, cursor.toString("base64url"))).toBeNull();
  });

  it("is rejected for another list, other filters or another secret", () => {
    fc.assert(
      fc.property(list, list, secret, secret, key, (one, other, secret, otherSecret, key) => {
        const cursor = writeCursor(secret, one, key);
        if (one !== other) expect(readCursor(secret, other, cursor)).toBeNull();
        if (secret !== otherSecret) expect(readCursor(otherSecret, one, cursor)).toBeNull();
      }),
    );
    const cursor = writeCursor(SECRET, LIST, ["7"]);
    for (const other of ['GET /intents {"status":"filled"}', "GET /intents {}", 'GET /agents {"status":"open"}'])
      expect(readCursor(SECRET, other, cursor)).toBeNull();
  });

  it("is rejected without an exception if it is random text", () => {
    const garbage = fc.oneof(
      anyText({ maxLength: 200 }),
      fc.string({ unit: fc.constantFrom(...BASE64URL), maxLength: 200 }),
      fc.base64String({ maxLength: 200 }),
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString("base64url")),
    );
    fc.assert(
      fc.property(garbage, (text) => {
        expect(readCursor(SECRET, LIST, text)).toBeNull();
      }),
      { numRuns: runs(500) },
    );
    for (const text of ["", "A".repeat(200_000), "\0", "null", "0", Buffer.from('["7"]').toString("base64url")])
      expect(readCursor(SECRET, LIST, text)).toBeNull();
  });
});
