import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_CONTENT_BYTES, parseContent } from "../../api/metadata/content";

const parse = (text: string) => parseContent(Buffer.from(text));

describe("the content of metadata", () => {
  it("has the name, description, tags and capabilities of a registration file or an agent card", () => {
    const card = {
      name: "Babel",
      description: "Translates texts.",
      tags: ["language", "language"],
      keywords: ["text"],
      capabilities: ["translate", { name: "summarize" }],
      skills: [{ name: "proofread", tags: ["grammar"] }],
    };
    expect(parse(JSON.stringify(card))).toEqual({
      content: JSON.stringify(card),
      name: "Babel",
      description: "Translates texts.",
      tags: ["language", "text", "grammar"],
      capabilities: ["translate", "summarize", "proofread"],
    });
  });

  it("has no name and no tags if they have another type", () => {
    const odd = { name: { toString: "x" }, description: 7, tags: "a", capabilities: [1, null, [], {}], skills: {} };
    expect(parse(JSON.stringify(odd))).toMatchObject({ name: null, description: null, tags: [], capabilities: [] });
  });

  it("is limited in length and number, and shows no invisible or direction-changing characters", () => {
    const { name, description, tags } = parse(
      JSON.stringify({
        name: `a\u202eb\u0007c${"😀".repeat(500)}`,
        description: "d".repeat(10_000),
        tags: Array.from({ length: 100 }, (_, number) => `${number} ${"t".repeat(1_000)}`),
      }),
    );
    expect(name?.startsWith("a b c😀")).toBe(true);
    expect([...(name ?? "")]).toHaveLength(160);
    expect(description).toHaveLength(2_000);
    expect(tags).toHaveLength(32);
    expect(Math.max(...tags.map((tag) => tag.length))).toBe(64);
  });

  it("is on one line, without hidden characters, and keeps joiners and emoji", () => {
    const { name, description } = parse(
      JSON.stringify({ name: "می\u200cروم ❤\ufe0f 👩\u200d🚀", description: "one\r\n\ttwo\u2028three\u{e0041}\u3164" }),
    );
    expect(name).toBe("می\u200cروم ❤\ufe0f 👩\u200d🚀");
    expect(description).toBe("one two three");
  });

  it("keeps scripts as text: pages that show it must escape it", () => {
    expect(parse('{"name":"<script>alert(1)</script>"}').name).toBe("<script>alert(1)</script>");
  });

  it("replaces NUL and unpaired surrogates in values and keys, and nothing else", () => {
    const { content, name } = parse(
      '{"name":"a\\u0000b\\ud800","\\udfff":"\\\\u0000 \\\\\\u0000 \\ud83d\\ude00","__proto__":1}',
    );
    expect(name).toBe("a b\ufffd");
    expect(content).toBe('{"name":"a\ufffdb\ufffd","\ufffd":"\\\\u0000 \\\\\ufffd 😀","__proto__":1}');
  });

  it("of any JSON object can be stored by PostgreSQL and equals the sent one", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue()), (value) => {
        const text = JSON.stringify(value);
        if (text.includes("\\u0000") || /\\ud[89a-f]/.test(text)) return;
        expect(parse(text).content).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
  });

  const deep = (levels: number) => `{"a":${"[".repeat(levels)}${"]".repeat(levels)}}`;

  it.each([
    ["HTML", "<!doctype html><html></html>", "The content is not JSON"],
    ["an empty body", "", "The content is not JSON"],
    ["a list", "[]", "The content is not a JSON object"],
    ["null", "null", "The content is not a JSON object"],
    ["a text", '"a"', "The content is not a JSON object"],
    ["deep JSON", deep(40), "The content is nested deeper than 32 levels"],
    ["very deep JSON", deep(60_000), "The content is nested deeper than 32 levels"],
    [
      "more bytes than allowed",
      `{"a":"${"b".repeat(MAX_CONTENT_BYTES)}"}`,
      `The content has more than ${MAX_CONTENT_BYTES} bytes`,
    ],
  ])("is rejected if it is %s", (_, text, reason) => {
    expect(() => parse(text)).toThrow(reason);
  });

  it("is rejected if it is not UTF-8", () => {
    expect(() => parseContent(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]))).toThrow("The content is not JSON");
  });
});
