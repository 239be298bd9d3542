import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hasTag, taggedReply } from "../../api/http/reply";

const etagOf = (body: string | Uint8Array<ArrayBuffer>) => taggedReply(body).headers.etag ?? "";

const body = fc.string({ unit: "grapheme" });

describe("an entity tag", () => {
  it("is a quoted string that is valid in a header and in a list of tags", () => {
    fc.assert(
      fc.property(body, (body) => {
        expect(etagOf(body)).toMatch(/^"[\w-]{27}"$/);
      }),
    );
  });

  it("is equal if and only if the bytes are, as text or binary", () => {
    fc.assert(
      fc.property(body, body, (one, other) => {
        expect(etagOf(Buffer.from(one))).toBe(etagOf(one));
        expect(etagOf(one) === etagOf(other)).toBe(one === other);
      }),
    );
  });
});

describe("If-None-Match", () => {
  const etag = etagOf("the body");
  const stale = etagOf("an older body");

  it.each([
    ["the tag", etag],
    ["the weak form, which a compressing proxy sends", `W/${etag}`],
    ["the tag among others", `${stale}, ${etag}`],
    ["a list without spaces", `${stale},W/${etag},"x"`],
    ["a list with tabs", `${stale}\t,\t${etag}`],
    ["any tag", "*"],
  ])("matches %s", (_, header) => {
    expect(hasTag(header, etag)).toBe(true);
  });

  it.each([
    ["nothing", undefined],
    ["an empty header", ""],
    ["a stale tag", stale],
    ["stale tags", `${stale}, W/${stale}`],
    ["the tag without its quotes", etag.slice(1, -1)],
    ["a longer tag", `"x${etag.slice(1)}`],
    ["a lower-case weak prefix", `w/${etag}`],
    ["a quoted star", '"*"'],
    ["commas", ",,,"],
  ])("does not match %s", (_, header) => {
    expect(hasTag(header, etag)).toBe(false);
  });

  it("matches if and only if the tag is in the list", () => {
    const tag = fc.record({ body: fc.constantFrom("the body", "another", "a third"), weak: fc.boolean() });
    fc.assert(
      fc.property(fc.array(tag), (tags) => {
        const header = tags.map(({ body, weak }) => `${weak ? "W/" : ""}${etagOf(body)}`).join(", ");
        expect(hasTag(header, etag)).toBe(tags.some(({ body }) => body === "the body"));
      }),
    );
  });
});
