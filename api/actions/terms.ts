import { type Address, type Hex, keccak256, pad, stringToBytes } from "viem";
import { splitAmount } from "../../common/amount";
import { readDuration } from "../../common/duration";
import { address, hash, id, isStorable, lengthOf, scalar, time } from "../core/inputs";

// Input types in a person's terms. What they mean may depend on records, so an action resolves them when it runs.

/** An amount in the smallest unit, or in whole tokens with a symbol. */
export type AmountTerm = { raw: bigint } | { number: string; symbol: string };

const MAX_AMOUNT_LENGTH = 160;

export const AMOUNT_PATTERN = "^[0-9][0-9,]*([.][0-9]+)?( ?[^0-9., ].{0,40})?$";

export const amountTerm = scalar<string | number | bigint, AmountTerm>(
  (sent) => {
    const raw = id.safeParse(sent);
    if (raw.success) return { value: { raw: raw.data } };
    const parts = typeof sent === "string" && sent.length <= MAX_AMOUNT_LENGTH ? splitAmount(sent) : undefined;
    return parts && parts.symbol !== ""
      ? { value: parts }
      : { problem: 'must be digits in the smallest unit, or whole tokens with their symbol, such as "1,000.5 tUSD"' };
  },
  {
    type: "string",
    pattern: AMOUNT_PATTERN,
    description: "In the smallest unit, or in whole tokens with the symbol, such as `1,000.5 tUSD`.",
    example: "955 tUSD",
  },
);

/** A time, or how long until then. */
export type TimeTerm = { at: bigint } | { after: bigint };

export const timeTerm = scalar<string | number | bigint, TimeTerm>(
  (sent) => {
    const at = time.safeParse(sent);
    if (at.success) return { value: { at: at.data } };
    const after = typeof sent === "string" ? readDuration(sent) : undefined;
    return after === undefined
      ? { problem: "must be unix seconds, or a duration from now such as 30m, 12h or 7d" }
      : { value: { after } };
  },
  {
    type: "string",
    pattern: "^([0-9]{1,12}|[0-9]{1,6} ?[A-Za-z]{1,7})$",
    description: "Unix seconds, or a duration from now such as `30m`, `12h` or `7d`.",
    example: "30m",
  },
);

/** A token by its address, or by the symbol that it has on the token list. */
export type TokenTerm = { address: Address } | { symbol: string };

const MAX_SYMBOL = 40;

export const tokenTerm = scalar<string, TokenTerm>(
  (sent) => {
    const parsed = address.safeParse(sent);
    if (parsed.success) return { value: { address: parsed.data } };
    return typeof sent === "string" && sent !== "" && lengthOf(sent) <= MAX_SYMBOL && !sent.startsWith("0x")
      ? { value: { symbol: sent } }
      : { problem: "must be the address of a token, or the symbol of a listed one" };
  },
  {
    type: "string",
    minLength: 1,
    maxLength: 42,
    description: "The address of a token, or the symbol of a listed one.",
    example: "tUSD",
  },
);

/** The canonical form: the selector is the hash of exactly this text. */
const SIGNATURE = /^[A-Za-z_$][\w$]{0,80}\([\w,()[\]]{0,200}\)$/;

/** Short names of types, which have another selector than the function that is meant. */
const SHORT_TYPE = /[(,](u?int|byte)(?![\w])/;

/** A function of a contract by its selector, or by its signature such as `transfer(address,uint256)`. */
export const functionTerm = scalar<string, Hex>(
  (sent) => {
    const problem =
      "must be a selector of 0x and 8 hex digits, or a signature with whole names of types, such as transfer(address,uint256)";
    if (typeof sent !== "string") return { problem };
    if (/^0x[0-9a-fA-F]{8}$/.test(sent)) return { value: sent.toLowerCase() as Hex };
    if (!SIGNATURE.test(sent) || SHORT_TYPE.test(sent)) return { problem };
    return { value: keccak256(stringToBytes(sent)).slice(0, 10) as Hex };
  },
  {
    type: "string",
    minLength: 3,
    maxLength: 300,
    description: "A selector, or a signature such as `transfer(address,uint256)`.",
    example: "transfer(address,uint256)",
  },
);

/** 32 bytes, or an address, which is padded on the left as Solidity converts it. */
export const subjectTerm = scalar<string, Hex>(
  (sent) => {
    const asAddress = address.safeParse(sent);
    if (asAddress.success) return { value: pad(asAddress.data) };
    const asHash = hash.safeParse(sent);
    return asHash.success ? { value: asHash.data } : { problem: "must be 0x and 64 hex digits, or an address" };
  },
  {
    type: "string",
    pattern: "^0x([0-9a-fA-F]{40}|[0-9a-fA-F]{64})$",
    description: "32 bytes, or an address, which is padded with zeros on the left.",
    example: "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
  },
);

/** The longest text of a URI or an id that an action writes on chain. Longer ones cost more than anyone would pay. */
export const MAX_TEXT = 2_048;

/** A text that is written on chain as it is. */
export const chainString = scalar<string, string>(
  (sent) =>
    typeof sent === "string" && lengthOf(sent) <= MAX_TEXT && isStorable(sent)
      ? { value: sent }
      : { problem: `must be a text of at most ${MAX_TEXT} characters, without NUL` },
  { type: "string", maxLength: MAX_TEXT, example: "ipfs://agents/1" },
);

const MAX_BASIS_POINTS = 10_000;

/** Hundredths of a percent, of at most 100 %. */
export const basisPoints = scalar<string | number, number>(
  (sent) => {
    const parsed = id.safeParse(sent);
    return parsed.success && parsed.data <= BigInt(MAX_BASIS_POINTS)
      ? { value: Number(parsed.data) }
      : { problem: `must be a whole number of basis points from 0 to ${MAX_BASIS_POINTS}, which is 100 %` };
  },
  { type: "integer", minimum: 0, maximum: MAX_BASIS_POINTS, example: 50 },
);
