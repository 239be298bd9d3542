import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { problemsOf } from "../../api/core/input-object";
import { address, cursor, enumNumber, flag, hash, id, limit, offset, oneOf, uintOrHex } from "../../api/core/inputs";
import { z } from "../../api/core/operation";
import { addressText, bytesText, decimalText, hashText, uintText } from "../../api/core/outputs";
import { anyText } from "../support/any-text";
import { runs } from "../support/seed";

const MAX = 2n ** 256n - 1n;
const status = oneOf("open", "filled");
const kind = enumNumber(["verification", "risk"]);

/** Parses a value. Returns the parsed value or the error messages. */
const read = (scalar: z.ZodType, sent: unknown): unknown => {
  const input = z.object({ it: scalar });
  const parsed = input.safeParse({ it: sent });
  return parsed.success ? parsed.data.it : problemsOf(parsed.error, { input });
};

const refused = (problem: string) => [`it: ${problem}`];

const problem = {
  id: "must be a whole number from 0 to 2^256 - 1 in decimal digits",
  address: "must be an address: 0x and 40 hex digits",
  hash: "must be a hash: 0x and 64 hex digits",
  flag: "must be true or false",
  status: "must be one of open, filled",
  kind: "must be one of 0 (verification), 1 (risk)",
  limit: "must be a whole number from 1 to 100",
  offset: "must be a whole number from 0 to 9007199254740991",
  cursor: "must be the next_cursor of a page",
};

/** Each scalar by its name in {@link problem}. */
const scalars = { id, address, hash, flag, status, kind, limit, offset, cursor };

/** Strings that are not whole numbers, although many parsers accept them. */
const notDigits = ["", " ", "-1", "+1", "1.0", "1e3", "0x10", " 1", "1 ", "1\n", "1_000", "1,000", "１", "٣", "NaN"];
/** Whole numbers that are too large, and too long for a test title. */
const tooLong = [String(MAX + 1n), "9".repeat(90), "9".repeat(200_000)];

describe("an id", () => {
  it("is any unsigned 256-bit integer, as decimal string, bigint or number", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: MAX }), (value) => {
        expect(read(id, String(value))).toBe(value);
        expect(read(id, value)).toBe(value);
      }),
    );
    expect(read(id, 7)).toBe(7n);
    expect(read(id, "007")).toBe(7n);
    expect(read(id, `${"0".repeat(200)}7`)).toBe(7n);
    expect(read(id, "000")).toBe(0n);
    expect(read(id, String(MAX))).toBe(MAX);
  });

  it.each([...notDigits, "-0", -1, -1n, MAX + 1n, true, null, {}])("is not %s", (sent) => {
    expect(read(id, sent)).toEqual(refused(problem.id));
  });

  it.each([1.5, 2 ** 53, -(2 ** 53), Number.NaN])("is not the number %s, which may have lost digits", (sent) => {
    expect(read(id, sent)).toEqual([expect.stringMatching(/^it: .*; send it as a string$/)]);
  });

  it("is not larger than 2^256 - 1", () => {
    for (const text of tooLong) expect(read(id, text)).toEqual(refused(problem.id));
  });
});

describe("an integer that may be hexadecimal", () => {
  it("is decimal digits, or 0x and up to 64 hex digits", () => {
    for (const [sent, value] of [
      ["16", 16n],
      [16, 16n],
      ["0x10", 16n],
      ["0x0F", 15n],
      [`0x${"f".repeat(64)}`, MAX],
    ])
      expect(read(uintOrHex, sent)).toBe(value);
    expect(read(uintOrHex, 2 ** 53)).toEqual([expect.stringMatching(/send it as a string$/)]);
  });

  it.each(["0XFF", "0x", "0xg", `0x${"f".repeat(65)}`, "-1", "", -1, true, {}])("is not %j", (sent) => {
    const sentence = "must be a whole number from 0 to 2^256 - 1: decimal digits, or 0x and 1 to 64 hex digits";
    expect(read(uintOrHex, sent)).toEqual(refused(sentence));
  });
});

describe.each([
  ["an address", address, 40, problem.address],
  ["a hash", hash, 64, problem.hash],
] as const)("%s", (_, scalar, digits, sentence) => {
  const hex = fc.string({ unit: fc.constantFrom(..."0123456789abcdefABCDEF"), minLength: digits, maxLength: digits });

  it(`is 0x and ${digits} hex digits in any case, parsed to lower case`, () => {
    fc.assert(
      fc.property(hex, (text) => {
        expect(read(scalar, `0x${text}`)).toBe(`0x${text.toLowerCase()}`);
      }),
    );
  });

  it.each([
    ["the empty string", ""],
    ["0x alone", "0x"],
    ["one digit too few", `0x${"a".repeat(digits - 1)}`],
    ["one digit too many", `0x${"a".repeat(digits + 1)}`],
    ["an upper-case prefix", `0X${"a".repeat(digits)}`],
    ["no prefix", "a".repeat(digits)],
    ["no prefix but the full length", "a".repeat(digits + 2)],
    ["an invalid hex digit", `0x${"a".repeat(digits - 1)}g`],
    ["a trailing newline", `0x${"a".repeat(digits - 1)}\n`],
    ["a fullwidth digit", `0x${"a".repeat(digits - 1)}ａ`],
    ["200,000 digits", `0x${"a".repeat(200_000)}`],
    ["a number", 7],
    ["null", null],
    ["an array", [`0x${"a".repeat(digits)}`]],
  ])("is not %s", (_, sent) => {
    expect(read(scalar, sent)).toEqual(refused(sentence));
  });
});

describe("a flag", () => {
  it.each([
    ["true", true],
    ["false", false],
    [true, true],
    [false, false],
  ])("is %s", (sent, value) => {
    expect(read(flag, sent)).toBe(value);
  });

  it.each(["", "TRUE", "1", "0", "yes", "true ", 1, 0, null])("is not %j", (sent) => {
    expect(read(flag, sent)).toEqual(refused(problem.flag));
  });
});

describe("one of a few names", () => {
  it.each(["open", "OPEN", "oPeN"])("is %s", (sent) => {
    expect(read(status, sent)).toBe("open");
  });

  it.each(["", "opened", "open,filled", " open", "toString", "__proto__", 0, null, ["open"]])("is not %j", (sent) => {
    expect(read(status, sent)).toEqual(refused(problem.status));
  });
});

describe("the number of an enum's value", () => {
  it.each([
    ["0", 0],
    ["1", 1],
    ["01", 1],
    [1, 1],
  ])("is %j", (sent, value) => {
    expect(read(kind, sent)).toBe(value);
  });

  it.each([...notDigits, "2", "255", "risk", 2, -1, 0.5, null, "toString"])("is not %s", (sent) => {
    expect(read(kind, sent)).toEqual(refused(problem.kind));
  });

  it("is not a larger number of any length", () => {
    for (const text of tooLong) expect(read(kind, text)).toEqual(refused(problem.kind));
  });
});

describe("a limit", () => {
  it("is the value from 1 to 100, 100 for larger values, and 50 by default", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 30n }), (value) => {
        expect(read(limit, String(value))).toBe(value > 100n ? 100 : Number(value));
      }),
    );
    expect(read(limit, undefined)).toBe(50);
    expect(read(limit, 7)).toBe(7);
    for (const text of tooLong) expect(read(limit, text)).toBe(100);
  });

  it.each([...notDigits, "0", "00", 0, -1, 1.5, null, true])("is not %s", (sent) => {
    expect(read(limit, sent)).toEqual(refused(problem.limit));
  });
});

describe("an offset", () => {
  it("is any whole number from 0 to 2^53 - 1", () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (value) => {
        expect(read(offset, String(value))).toBe(value);
        expect(read(offset, value)).toBe(value);
      }),
    );
    expect(read(offset, String(Number.MAX_SAFE_INTEGER))).toBe(Number.MAX_SAFE_INTEGER);
  });

  it.each([...notDigits, String(2n ** 53n), String(2n ** 53n + 1n), 2 ** 53, -1, 0.5, null])("is not %s", (sent) => {
    expect(read(offset, sent)).toEqual(refused(problem.offset));
  });

  it("is not a larger number of any length", () => {
    for (const text of tooLong) expect(read(offset, text)).toEqual(refused(problem.offset));
  });
});

describe("every scalar", () => {
  const names = Object.keys(scalars) as (keyof typeof scalars)[];

  it.each(names.filter((name) => name !== "limit"))("%s is required unless it is optional", (name) => {
    expect(read(scalars[name], undefined)).toEqual(refused("is required"));
    expect(z.object({ it: scalars[name] }).safeParse({}).success).toBe(false);
    expect(read(scalars[name].optional(), undefined)).toBeUndefined();
  });

  it.each(names)("%s parses any input or rejects it with its own message", (name) => {
    const sent = fc.oneof(fc.anything(), anyText(), fc.bigInt(), fc.double()).filter((value) => value !== undefined);
    fc.assert(
      fc.property(sent, (value) => {
        const result = read(scalars[name], value);
        const isInexact = name === "id" && typeof value === "number" && !Number.isSafeInteger(value);
        if (Array.isArray(result))
          expect(result).toEqual(isInexact ? [expect.stringContaining("send it as a string")] : refused(problem[name]));
      }),
      { numRuns: runs(100) },
    );
  });
});

describe("output values", () => {
  it.each([
    [uintText, ["0", "1", String(MAX * MAX)], ["", "-1", "1.5", "0x1", "1\n"]],
    [decimalText, ["0", "1.5", "1.000001"], ["", ".5", "1.", "1.0000001", "-1", "1e3"]],
    [addressText, [`0x${"ab".repeat(20)}`], [`0x${"AB".repeat(20)}`, `0x${"ab".repeat(21)}`, "0x"]],
    [hashText, [`0x${"ab".repeat(32)}`], [`0x${"AB".repeat(32)}`, `0x${"ab".repeat(31)}`, "0x"]],
    [bytesText, ["0x", "0x00", `0x${"ab".repeat(99)}`], ["", "0x0", "0xAB", "00"]],
  ] as const)("are validated against their format (%#)", (schema, good, bad) => {
    for (const text of good) expect(schema.safeParse(text).success).toBe(true);
    for (const text of bad) expect(schema.safeParse(text).success).toBe(false);
  });
});
