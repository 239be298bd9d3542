import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { indentedJson } from "../../explorer/text/indented-json";

describe("a JSON text on a page", () => {
  it("is indented", () => {
    expect(indentedJson('{"a":[1,"]}[["]}')).toBe('{\n  "a": [\n    1,\n    "]}[["\n  ]\n}');
    expect(indentedJson('"\\"[[[["')).toBe('"\\"[[[["');
  });

  it("stays as it is if it is not JSON", () => {
    for (const text of ["", "{", "[[", '"unclosed [', "]]]]"]) expect(indentedJson(text)).toBe(text);
  });

  it("stays as it is if it has so many levels that its indentation would be gigabytes", () => {
    const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
    expect(indentedJson(nested(32)).length).toBeGreaterThan(1_000);
    for (const depth of [33, 4_000, 65_536]) expect(indentedJson(nested(depth)) === nested(depth)).toBe(true);
    const wide = `[${Array(16).fill(nested(4_000)).join()}]`;
    expect(indentedJson(wide) === wide).toBe(true);
  });

  it("keeps its value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(JSON.parse(indentedJson(text))).toEqual(JSON.parse(text));
      }),
    );
  });
});
