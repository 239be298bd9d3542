import fc from "fast-check";

const SURROGATES = { first: 0xd800, count: 0x800 };

const codePoint = fc.integer({ min: 0, max: 0x10ffff - SURROGATES.count }).map(
  (number) => String.fromCodePoint(number < SURROGATES.first ? number : number + SURROGATES.count),
  (text) => {
    const number = typeof text === "string" ? text.codePointAt(0) : undefined;
    if (number === undefined || text !== String.fromCodePoint(number)) throw new Error("Not one code point");
    return number < SURROGATES.first ? number : number - SURROGATES.count;
  },
);

/**
 * Texts of any code points. fast-check's own unit "binary" generates the same, but first makes a table of a million code
 * points, which takes seconds.
 */
export const anyText = (constraints: Omit<fc.StringConstraints, "unit"> = {}): fc.Arbitrary<string> =>
  fc.string({ ...constraints, unit: codePoint });
