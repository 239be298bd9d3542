import type { Address, Hex } from "viem";
import { type ChainSlug, chains } from "../../config/chains";
import { z } from "./operation";

// Input types. REST sends strings; typed clients may also send numbers, bigints and booleans.

const UINT256_MAX = 2n ** 256n - 1n;
const UINT256_DIGITS = 78;

/** The OpenAPI schema of a value. */
type Description = { type: "string" | "integer" | "boolean" | "object"; example: unknown } & Record<string, unknown>;

/** An input type with a custom parser, which returns either the value or the validation message. */
export const scalar = <Sent, Value>(
  parse: (sent: Sent) => { value: Value } | { problem: string },
  { example, ...description }: Description,
) =>
  z
    .custom<Sent>(() => true)
    .transform((sent, context): Value => {
      const parsed = sent === undefined ? { problem: "is required" } : parse(sent);
      if ("value" in parsed) return parsed.value;
      context.addIssue({ code: "custom", message: parsed.problem });
      return z.NEVER;
    })
    .openapi({ ...description, example } as never);

/** PostgreSQL rejects NUL, and UTF-8 can't encode unpaired surrogates. */
export const isStorable = (text: string) => !text.includes("\0") && !/\p{Surrogate}/u.test(text);

/** The length in code points, as JSON Schema counts it. */
export const lengthOf = (text: string) => [...text].length;

/** The decimal digits of a non-negative integer, or undefined for any other value. */
const digitsOf = (sent: unknown): string | undefined => {
  if (typeof sent === "string") return /^\d+$/.test(sent) ? sent : undefined;
  if (typeof sent === "bigint") return sent >= 0n ? String(sent) : undefined;
  return typeof sent === "number" && Number.isSafeInteger(sent) && sent >= 0 ? String(sent) : undefined;
};

/** Whether a value is a number whose digits may have been lost before it was parsed. */
const isInexact = (sent: unknown) => typeof sent === "number" && !Number.isSafeInteger(sent);

const INEXACT = "is a number with a fraction or above 2^53 - 1, which may have lost digits; send it as a string";

/** The OpenAPI pattern of an id. Generators recognise ids by it. */
export const ID_PATTERN = "^0*[0-9]{1,78}$";

/** Parses an unsigned 256-bit integer in decimal digits. */
function parseUint(sent: unknown): { value: bigint } | { problem: string } {
  if (isInexact(sent)) return { problem: INEXACT };
  const digits = digitsOf(sent)?.replace(/^0+(?=.)/, "");
  const value = digits !== undefined && digits.length <= UINT256_DIGITS ? BigInt(digits) : undefined;
  return value !== undefined && value <= UINT256_MAX
    ? { value }
    : { problem: "must be a whole number from 0 to 2^256 - 1 in decimal digits" };
}

/** An id or another unsigned 256-bit integer. */
export const id = scalar<string | number | bigint, bigint>(parseUint, {
  type: "string",
  pattern: ID_PATTERN,
  example: "1",
});

/** The OpenAPI pattern of an integer that may also be hexadecimal. */
export const UINT_OR_HEX_PATTERN = "^(0*[0-9]{1,78}|0x[0-9a-fA-F]{1,64})$";

/** An unsigned 256-bit integer in decimal digits, or in hexadecimal as wallets send it. */
export const uintOrHex = scalar<string | number | bigint, bigint>(
  (sent) => {
    if (typeof sent === "string" && /^0x[0-9a-fA-F]{1,64}$/.test(sent)) return { value: BigInt(sent) };
    const parsed = parseUint(sent);
    return "value" in parsed || isInexact(sent)
      ? parsed
      : { problem: "must be a whole number from 0 to 2^256 - 1: decimal digits, or 0x and 1 to 64 hex digits" };
  },
  { type: "string", pattern: UINT_OR_HEX_PATTERN, example: "1" },
);

const MAX_TIME_DIGITS = 12;

/** The OpenAPI pattern of a time. */
export const TIME_PATTERN = `^[0-9]{1,${MAX_TIME_DIGITS}}$`;

/** A time in unix seconds. */
export const time = scalar<string | number | bigint, bigint>(
  (sent) => {
    if (isInexact(sent)) return { problem: INEXACT };
    const digits = digitsOf(sent);
    return digits !== undefined && digits.length <= MAX_TIME_DIGITS
      ? { value: BigInt(digits) }
      : { problem: `must be unix seconds: 1 to ${MAX_TIME_DIGITS} decimal digits` };
  },
  { type: "string", pattern: TIME_PATTERN, description: "Unix seconds.", example: "1767225600" },
);

const hexOf = <Value extends Hex>(digits: number, what: string, example: string) =>
  scalar<string, Value>(
    (sent) =>
      typeof sent === "string" && sent.length === digits + 2 && /^0x[0-9a-fA-F]+$/.test(sent)
        ? { value: sent.toLowerCase() as Value }
        : { problem: `must be ${what}: 0x and ${digits} hex digits` },
    { type: "string", pattern: `^0x[0-9a-fA-F]{${digits}}$`, example },
  );

export const address = hexOf<Address>(40, "an address", "0x70997970c51812dc3a010c7d01b50e0d17dc79c8");

export const hash = hexOf<Hex>(64, "a hash", `0x${"1f".repeat(32)}`);

/** Bytes of any length. */
export const bytes = scalar<string, Hex>(
  (sent) =>
    typeof sent === "string" && sent.length % 2 === 0 && /^0x[0-9a-fA-F]*$/.test(sent)
      ? { value: sent.toLowerCase() as Hex }
      : { problem: "must be bytes: 0x and an even number of hex digits" },
  { type: "string", pattern: "^0x([0-9a-fA-F]{2})*$", example: "0x" },
);

/** A client-defined name of a limited length. */
export const textUpTo = (maxLength: number, example: string) =>
  scalar<string, string>(
    (sent) =>
      typeof sent === "string" && sent !== "" && lengthOf(sent) <= maxLength && isStorable(sent)
        ? { value: sent }
        : { problem: `must be a text of 1 to ${maxLength} characters, without NUL` },
    { type: "string", minLength: 1, maxLength, example },
  );

export const shortText = textUpTo(160, "weather");

const MAX_LONG_TEXT = 2_000;

/** A free-text description. */
export const longText = scalar<string, string>(
  (sent) =>
    typeof sent === "string" && lengthOf(sent) <= MAX_LONG_TEXT && isStorable(sent)
      ? { value: sent }
      : { problem: `must be a text of at most ${MAX_LONG_TEXT} characters, without NUL` },
  { type: "string", maxLength: MAX_LONG_TEXT, example: "A short description." },
);

/** Whether a parsed JSON value is an object. */
export const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const MAX_DEPTH = 64;

/** Whether a value is nested deeper than `levels`. Stops at that depth. */
export const isDeeperThan = (levels: number, value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  (levels === 0 || Object.values(value).some((member) => isDeeperThan(levels - 1, member)));

/** A JSON object with any content. The depth limit protects against stack exhaustion. */
export const jsonObject = scalar<Record<string, unknown>, Record<string, unknown>>(
  (sent) => {
    if (!isJsonObject(sent)) return { problem: "must be a JSON object" };
    if (isDeeperThan(MAX_DEPTH, sent)) return { problem: `must not be nested deeper than ${MAX_DEPTH} levels` };
    return { value: sent };
  },
  { type: "object", example: {} },
);

/** A string of JSON with an object or an array. It is stored unchanged. */
export const jsonText = scalar<string, string>(
  (sent) => {
    if (typeof sent !== "string") return { problem: "must be a string of JSON" };
    try {
      const value: unknown = JSON.parse(sent);
      if (typeof value !== "object" || value === null) return { problem: "must be a JSON object or array" };
    } catch (error) {
      return { problem: `is not valid JSON (${error instanceof Error ? error.message : error})` };
    }
    return isStorable(sent) ? { value: sent } : { problem: "must be valid Unicode: it has an unpaired surrogate" };
  },
  {
    type: "string",
    description: "A JSON object or array. Its text is stored byte for byte.",
    example: "{}",
  },
);

export const flag = scalar<"true" | "false" | boolean, boolean>(
  (sent) =>
    sent === true || sent === "true"
      ? { value: true }
      : sent === false || sent === "false"
        ? { value: false }
        : { problem: "must be true or false" },
  { type: "boolean", example: true },
);

/** Returns the name that equals a value, ignoring case. */
const nameIn =
  <const Name extends string>(names: readonly Name[]) =>
  (sent: string): { value: Name } | { problem: string } => {
    const value = names.find((name) => typeof sent === "string" && name === sent.toLowerCase());
    return value !== undefined ? { value } : { problem: `must be one of ${names.join(", ")}` };
  };

/** One of several names, case-insensitive. */
export const oneOf = <const Name extends string>(...names: readonly Name[]) =>
  scalar<Name | Uppercase<Name>, Name>(nameIn(names), { type: "string", enum: names, example: names[0] ?? "" });

/** The status to filter by, case-insensitive: clients send it in lowercase, or as records have it. */
export const statusFilter = <const Name extends string>(...names: readonly Name[]) =>
  scalar<Name | Uppercase<Name>, Name>(nameIn(names), {
    type: "string",
    enum: [...names, ...names.map((name) => name.toUpperCase())],
    example: names[0] ?? "",
  });

/** One of several names, case-sensitive. */
export const exactly = <const Name extends string>(...names: readonly Name[]) =>
  scalar<Name, Name>(
    (sent) => {
      const value = names.find((name) => name === sent);
      return value !== undefined ? { value } : { problem: `must be one of ${names.join(", ")}` };
    },
    { type: "string", enum: names, example: names[0] ?? "" },
  );

/** An id or an address, normalized as in the event log. */
export const idOrAddress = scalar<string | number | bigint, string>(
  (sent) => {
    if (isInexact(sent)) return { problem: INEXACT };
    const asId = id.safeParse(sent);
    if (asId.success) return { value: String(asId.data) };
    const asAddress = address.safeParse(sent);
    if (asAddress.success) return { value: asAddress.data };
    return { problem: "must be an id in decimal digits, or an address: 0x and 40 hex digits" };
  },
  { type: "string", pattern: "^(0*[0-9]{1,78}|0x[0-9a-fA-F]{40})$", example: "1" },
);

/** A Solidity enum value, as its number. */
export const enumNumber = (names: readonly string[]) => {
  const meaning = names.map((name, number) => `${number} (${name})`).join(", ");
  return scalar<string | number, number>(
    (sent) => {
      const value = Number(digitsOf(sent));
      return value < names.length ? { value } : { problem: `must be one of ${meaning}` };
    },
    { type: "integer", enum: names.map((_, number) => number), description: meaning, example: 0 },
  );
};

/** The most rows of a page or a ranking. */
export const MAX_LIMIT = 100;

const limitOf = (initial: number, what: string) =>
  scalar<string | number, number>(
    (sent) => {
      const value = Math.min(Number(digitsOf(sent)), MAX_LIMIT);
      return value >= 1 ? { value } : { problem: `must be a whole number from 1 to ${MAX_LIMIT}` };
    },
    {
      type: "integer",
      minimum: 1,
      default: initial,
      description: `${what}Values above ${MAX_LIMIT} are lowered to ${MAX_LIMIT}.`,
      example: initial,
    },
  ).default(initial);

/** The page size. Values above the maximum are lowered to it. */
export const limit = limitOf(50, "Page size. ");

/** The number of rows of a ranking. */
export const rankingLimit = limitOf(20, "Rows. ");

export const offset = scalar<string | number, number>(
  (sent) => {
    const value = Number(digitsOf(sent));
    return Number.isSafeInteger(value)
      ? { value }
      : { problem: `must be a whole number from 0 to ${Number.MAX_SAFE_INTEGER}` };
  },
  {
    type: "integer",
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: "Rows to skip. Can't be combined with cursor.",
    example: 0,
  },
);

export const cursor = scalar<string, string>(
  (sent) =>
    typeof sent === "string" && sent !== "" ? { value: sent } : { problem: "must be the next_cursor of a page" },
  {
    type: "string",
    description: "The next_cursor of the previous page. Valid for this list with the same filters and sort.",
    example: "c2FtcGxl",
  },
);

const MAX_CHAINS = 8;

const chainSlugs = Object.keys(chains) as ChainSlug[];

/** Other names of chains that clients send. */
const chainAliases = new Map<string, ChainSlug>([["eth", "ethereum"]]);

const slugOf = (name: unknown): ChainSlug | undefined => {
  const sent = String(name).trim().toLowerCase();
  return chainAliases.get(sent) ?? chainSlugs.find((slug) => slug === sent);
};

/** Comma-separated chain slugs, case-insensitive. Duplicates are removed. */
export const chainList = scalar<string | readonly string[], ChainSlug[]>(
  (sent) => {
    const names = typeof sent === "string" ? sent.split(",") : Array.isArray(sent) ? sent : [];
    if (names.length === 0 || names.length > MAX_CHAINS)
      return { problem: `must be 1 to ${MAX_CHAINS} chains, separated by commas` };
    const slugs = names.map(slugOf);
    return slugs.every((slug) => slug !== undefined)
      ? { value: [...new Set(slugs)] }
      : { problem: `must be chains of ${chainSlugs.join(", ")}, separated by commas` };
  },
  {
    type: "string",
    default: "base,ethereum",
    description: `1 to ${MAX_CHAINS} chains, separated by commas: ${chainSlugs.join(", ")}. \`eth\` is \`ethereum\`.`,
    example: "base,ethereum",
  },
).default(["base", "ethereum"]);
