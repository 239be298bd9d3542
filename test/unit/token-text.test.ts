import fc from "fast-check";
import { bytesToHex, concat, encodeAbiParameters, type Hex, pad, stringToHex, toHex } from "viem";
import { describe, expect, it } from "vitest";
import { tokenText } from "../../api/tokens/text";

const encoded = (text: string): Hex => encodeAbiParameters([{ type: "string" }], [text]);

/** A string whose content is any bytes. */
const withBytes = (bytes: Hex): Hex => encodeAbiParameters([{ type: "bytes" }], [bytes]);

const MAX = 32;

describe("the text of a token", () => {
  it.each([
    ["tUSD", "tUSD"],
    ["USD₮0", "USD₮0"],
    ["人民币", "人民币"],
    ["  two\n\twords ", "two words"],
    ["x".repeat(MAX), "x".repeat(MAX)],
    ["x".repeat(MAX + 1), `${"x".repeat(MAX - 1)}…`],
    ["x".repeat(1_000_000), `${"x".repeat(MAX - 1)}…`],
    ["\u{1F600}".repeat(MAX + 1), `${"\u{1F600}".repeat(MAX - 1)}…`],
    ["a\0\u0007\u001b[31mb", "a\uFFFD[31mb"],
    ["USD\u202eC\u2066", "USD\uFFFDC\uFFFD"],
    ["US\u200bDC\u00ad", "US\uFFFDDC\uFFFD"],
    ["Z\u0301\u0302\u0303\u0304\u0305", "Z\u0301\u0302"],
    ["<script>alert(1)</script>", "<script>alert(1)</script>"],
  ])("%j is %j", (text, shown) => {
    expect(tokenText(encoded(text), MAX)).toBe(shown);
  });

  it.each<[string, Hex]>([
    ["no bytes", "0x"],
    ["one byte", "0x01"],
    ["an empty string", encoded("")],
    ["spaces", encoded(" \n ")],
    ["invisible characters", encoded("\u200b \u202e")],
    ["a zero word", pad("0x")],
    ["an offset beyond the data", concat([toHex(64, { size: 32 }), toHex(1, { size: 32 })])],
    ["a huge offset", concat([toHex(2n ** 256n - 1n), toHex(1, { size: 32 })])],
    [
      "a length beyond the data",
      concat([toHex(32, { size: 32 }), toHex(33, { size: 32 }), pad("0x61", { dir: "right" })]),
    ],
    ["a huge length", concat([toHex(32, { size: 32 }), toHex(2n ** 256n - 1n)])],
  ])("is null for %s", (_, data) => {
    expect(tokenText(data, MAX)).toBeNull();
  });

  it("is read from a bytes32, as the first tokens return it", () => {
    expect(tokenText(stringToHex("MKR", { size: 32 }), MAX)).toBe("MKR");
    expect(tokenText(stringToHex("x".repeat(32), { size: 32 }), MAX)).toBe("x".repeat(32));
  });

  it("has replacement characters for bytes that are not UTF-8, and for halves of surrogate pairs", () => {
    expect(tokenText(withBytes("0x61ff62"), MAX)).toBe("a\uFFFDb");
    expect(tokenText(withBytes("0x61eda08062"), MAX)).toBe("a\uFFFD\uFFFD\uFFFDb");
  });

  it("is one short line that UTF-8 can represent, for any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.boolean(), (bytes, isString) => {
        const data = bytesToHex(bytes);
        const text = tokenText(isString ? withBytes(data) : data, MAX);
        if (text === null) return;
        expect([...text].length).toBeLessThanOrEqual(MAX);
        expect(text).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
        expect(text).toBe(text.trim());
        expect(Buffer.from(text).toString()).toBe(text);
      }),
    );
  });
});
