import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BadInput } from "../../api/core/errors";
import { readQuery } from "../../api/transports/rest/query";
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
  it("returns every known parameter, decoded, in any order and among unknown ones", () => {
    const value = fc.string({ unit: "grapheme", minLength: 1 });
    const values = fc.dictionary(fc.constantFrom(...known), value);
    const others = fc.dictionary(
      fc.string({ unit: "grapheme" }).filter((name) => !known.has(name)),
      value,
    );
    fc.assert(
      fc.property(values, others, fc.infiniteStream(fc.nat()), (values, others, random) => {
        const parts = [...Object.entries(values), ...Object.entries(others)]
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

  it("parses or is rejected with an error that names a known parameter", () => {
    const text = fc.string({ unit: "binary", maxLength: 12 });
    const part = fc.oneof(
      text,
      fc.tuple(fc.constantFrom(...known, "other", "%6cimit", ""), text).map(([name, value]) => `${name}=${value}`),
      fc.constantFrom("limit", "limit=", "limit=%", "limit=%zz", "%zz=1", "limit=%ff", "=", "&", "limit=1=2"),
    );
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const message = refusal(parts.join("&"));
        if (message !== undefined)
          for (const problem of message.split("; ")) expect(problem).toMatch(/^(limit|owner|status): is /);
      }),
      { numRuns: runs(1_000) },
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
    ["Limit=2", {}],
    ["limit[]=2", {}],
    ["other=1&other=2&other", {}],
    ["other=%zz&%ff=1&%=2", {}],
    ["__proto__=1&constructor=2&toString", {}],
  ])("%j parses to %j", (query, values) => {
    expect(readQuery(query, known)).toEqual(values);
  });

  it.each([
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
