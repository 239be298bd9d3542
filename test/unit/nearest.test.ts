import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { allOperations } from "../../api/operations/index";
import { nearest } from "../../common/nearest";

const names = allOperations.map(({ name }) => name);

describe("the nearest names", () => {
  it("contain the name for a typo of one letter", () => {
    const letter = fc.constantFrom(..."abcdefghijklmnopqrstuvwxyz.");
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.nat(), letter, fc.nat(2), (name, at, letter, kind) => {
        const place = at % name.length;
        const typed = `${name.slice(0, place)}${kind === 0 ? "" : letter}${name.slice(kind === 1 ? place : place + 1)}`;
        expect(nearest(typed, names)).toContain(name);
      }),
    );
  });

  it("start with the name itself, ignoring case", () => {
    for (const name of names) expect(nearest(name.toUpperCase(), names)[0]).toBe(name);
  });

  it("are empty if no name is similar", () => {
    expect(nearest("xyzzy", names)).toEqual([]);
    expect(nearest("", names)).toEqual([]);
  });
});
