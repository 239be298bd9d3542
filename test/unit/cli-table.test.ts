import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { tableText } from "../../client/cli/table";
import { escapeInvisible } from "../../client/src/text";

describe("a response on a terminal", () => {
  const agents = [
    { agent_id: "1", owner: "0x70997970c51812dc3a010c7d01b50e0d17dc79c8", revoked: false, parent: null },
    { agent_id: "2", owner: "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc", revoked: true, parent: { id: "1" } },
  ];

  it("is a table for a list, with the cursor of the next page", () => {
    expect(tableText({ agents, pagination: { count: 2, next_cursor: "abc" } }, 100)).toBe(
      [
        "agent_id  owner                                       revoked  parent",
        "1         0x70997970c51812dc3a010c7d01b50e0d17dc79c8  false    -",
        '2         0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc  true     {"id":"1"}',
        "",
        "Next page: cursor=abc",
      ].join("\n"),
    );
    expect(tableText({ agents: [], pagination: { next_cursor: null } }, 80)).toBe("(none)");
    expect(tableText(agents, 50).split("\n")[1]).toBe("1         0x70997970c51812dc…  false    -");
  });

  it("is a record for each row if the columns don't fit", () => {
    expect(tableText(agents.slice(1), 20)).toBe(
      ["agent_id   2", "owner      0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc", "revoked    true", "parent.id  1"].join(
        "\n",
      ),
    );
  });

  it("is names and values for an object, and the text of a document", () => {
    expect(tableText({ status: "ok", index: { block: "7", tags: ["a"] } }, 80)).toBe(
      'status       ok\nindex.block  7\nindex.tags   ["a"]',
    );
    expect(tableText('{\n "a": 1 }', 80)).toBe('{\n "a": 1 }');
  });

  it("never contains a control character of the chain's texts", () => {
    expect(escapeInvisible("\u001b[31mred\u202e\u009b")).toBe("\\u001b[31mred\\u202e\\u009b");
    expect(escapeInvisible("a\u200bb\u061c\u{e0041}\ud800")).toBe("a\\u200bb\\u061c\\udb40\\udc41\\ud800");
    expect(escapeInvisible("Größe 中文 🙂 1.50 $")).toBe("Größe 中文 🙂 1.50 $");
    const row = fc.dictionary(fc.string(), fc.jsonValue());
    const value = fc.oneof(fc.jsonValue(), fc.record({ items: fc.array(row), pagination: row }), fc.array(row));
    fc.assert(
      fc.property(value, fc.integer({ min: 20, max: 200 }), (shown, width) => {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to find.
        expect(tableText(shown, width)).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
      }),
    );
  });
});
