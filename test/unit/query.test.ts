import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BadInput } from "../../api/core/errors";
import { readQuery } from "../../api/transports/rest/query";
import { anyText } from "../support/any-text";
import { runs } from "../support/seed";

const known = new Set(["limit", "owner", "status"]);

/** The error message for a query string. Undefined if it is valid. */
const refusal = (query: string): string | undefined => {
  try {
    readQuery(query, known);
    return undefined;
  } catch (error) {
    if (error instanceof BadInput) return error.message;
    throw error;
  }
};

describe("a query string", () => {
  it("returns every parameter, decoded, in any order", () => {
    const value = fc.string({ unit: "grapheme", minLength: 1 });
    const values = fc.dictionary(fc.constantFrom(...known), value);
    fc.assert(
      fc.property(values, fc.infiniteStream(fc.nat()), (values, random) => {
        const parts = Object.entries(values)
          .map(([name, text]) => `${encodeURIComponent(name)}=${encodeURIComponent(text)}`)
          .map((part) => ({ part, place: random.next().value }))
          .sort((one, other) => one.place - other.place);
        expect(readQuery(parts.map(({ part }) => part).join("&"), known)).toEqual({ ...values });
      }),
    );
  });

  it("parses the output of URLSearchParams", () => {
    const value = fc.string({ unit: "grapheme", minLength: 1 });
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...known), value), (values) => {
        expect(readQuery(new URLSearchParams(values).toString(), known)).toEqual({ ...values });
      }),
    );
  });

  it("is rejected if any name is unknown, whatever else it has", () => {
    const value = fc.string({ unit: "grapheme", minLength: 1 });
    const other = fc.string({ unit: "grapheme" }).filter((name) => !known.has(name));
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...known), value), other, value, (values, name, text) => {
        const parts = [...Object.entries(values), [name, text]].map((part) => part.map(encodeURIComponent).join("="));
        expect(refusal(parts.join("&"))).toContain(": unknown; ");
      }),
    );
  });

  it("parses or is rejected with an error that names a parameter", () => {
    const text = anyText({ maxLength: 12 });
    const part = fc.oneof(
      text,
      fc.tuple(fc.constantFrom(...known, "other", "%6cimit", ""), text).map(([name, value]) => `${name}=${value}`),
      fc.constantFrom("limit", "limit=", "limit=%", "limit=%zz", "%zz=1", "limit=%ff", "=", "&", "limit=1=2"),
    );
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const message = refusal(parts.join("&"));
        if (message !== undefined) expect(message).toMatch(/^((limit|owner|status): is |.*: unknown; )/s);
      }),
      { numRuns: runs(300) },
    );
  });

  it.each([
    ["", {}],
    ["&&", {}],
    ["limit=2&owner=0xab", { limit: "2", owner: "0xab" }],
    ["%6cimit=2", { limit: "2" }],
    ["limit=1=2", { limit: "1=2" }],
    ["limit=+2", { limit: " 2" }],
    ["limit=%2B2", { limit: "+2" }],
  ])("%j parses to %j", (query, values) => {
    expect(readQuery(query, known)).toEqual(values);
  });

  it.each([
    ["Limit=2", "Limit: unknown; did you mean limit?"],
    ["limit[]=2", "limit[]: unknown; did you mean limit?"],
    ["ownr=1&ownr=2&ownr", "ownr: unknown; did you mean owner?"],
    ["xyzzy=1&limit=", "xyzzy: unknown; the names are limit, owner, status"],
    ["%ff=1", "%ff: unknown; the names are limit, owner, status"],
    ["__proto__=1", "__proto__: unknown; the names are limit, owner, status"],
    ["=1", '"": unknown; the names are limit, owner, status'],
    ["limit=1&limit=1", "limit: is given more than once"],
    ["limit=1&%6cimit=2&limit=3", "limit: is given more than once"],
    ["limit=", "limit: is empty"],
    ["limit", "limit: is empty"],
    ["limit=%zz", "limit: is not valid percent-encoding"],
    ["limit=%ff", "limit: is not valid percent-encoding"],
    ["limit=%ed%a0%80", "limit: is not valid percent-encoding"],
    ["limit=%", "limit: is not valid percent-encoding"],
    ["limit=1&limit=", "limit: is empty"],
    ["limit=&owner=%zz", "limit: is empty; owner: is not valid percent-encoding"],
  ])("%j is rejected: %s", (query, message) => {
    expect(refusal(query)).toBe(message);
  });

  it("is rejected with one message for a parameter repeated ten thousand times", () => {
    expect(refusal(Array(10_000).fill("limit=1").join("&"))).toBe("limit: is given more than once");
  });
});
