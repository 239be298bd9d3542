import {
  type Address,
  bytesToHex,
  concat,
  getAddress,
  type Hex,
  maxUint256,
  stringToHex,
  zeroAddress,
  zeroHash,
} from "viem";
import type { Random } from "./random";

/** Valid values: ordinary ones and many edge values of their types. */

export const anyBytes = (random: Random, length: number): Hex =>
  bytesToHex(Uint8Array.from({ length }, () => random.below(256)));

export const anyHash = (random: Random): Hex => (random.chance(0.05) ? zeroHash : anyBytes(random, 32));

/** From 0 to `most`, inclusive. Both ends are frequent. */
export const amountUpTo = (random: Random, most: bigint): bigint => {
  if (random.chance(0.15)) return most;
  const amount = random.pick([
    0n,
    BigInt(1 + random.below(5)),
    BigInt(random.below(1_000_000)),
    10n ** 18n * BigInt(random.below(100)),
    2n ** 128n + 1n,
    2n ** 255n,
    BigInt(anyBytes(random, 32)),
  ]);
  return amount <= most ? amount : amount % (most + 1n);
};

export const anyAmount = (random: Random): bigint => amountUpTo(random, maxUint256);

const DAY = 86_400n;

/** A time after `now`: the next second, soon, in some days, or never. */
export const laterThan = (random: Random, now: bigint): bigint => {
  if (random.chance(0.1)) return maxUint256;
  return now + (random.chance(0.2) ? random.pick([1n, 60n, 3_600n]) : DAY * BigInt(1 + random.below(60)));
};

/** An account that only receives coins. */
export const payee = getAddress("0x00000000000000000000000000000000000000a1");

/** Addresses that send nothing. The zero address means none. */
const outsiders = [
  zeroAddress,
  payee,
  getAddress("0x00000000000000000000000000000000000000b2"),
  getAddress("0xffffffffffffffffffffffffffffffffffffffff"),
] as const;

export const anyOutsider = (random: Random): Address => random.pick(outsiders);

/** The zero address means the native coin. There are few tokens, so that each is used often. */
const tokens = [
  zeroAddress,
  getAddress("0x00000000000000000000000000000000000000c1"),
  getAddress("0x00000000000000000000000000000000000000c2"),
] as const;

export const anyToken = (random: Random): Address => random.pick(tokens);

/** The bytes of a `string` argument. They may be invalid UTF-8: the contracts don't check. */
export type Text = Hex;

const oddTexts = [
  "0x",
  stringToHex("\0"),
  stringToHex("before\0after\0\0"),
  stringToHex("agent 🤖 ключ\u202E \uFEFF"),
  stringToHex("\\u0000 \\x00 \\ud800 \"quoted\" 'quoted'; -- {}"),
  stringToHex("0xF39Fd6e51aad88F6F4ce6aB8827279cffFb92266"),
  stringToHex("\uFEFFbyte order mark first"),
  stringToHex("\r\n\t\u0001\u007F"),
  "0xff",
  "0x80",
  // "a", then: an overlong NUL, a surrogate, a truncated sequence, a code point beyond the last.
  "0x61c080",
  "0x61eda080",
  "0x61e282",
  "0x61f4908080",
  "0x610080ff00",
] as const satisfies readonly Text[];

const longText = (random: Random): Text => {
  const piece = random.pick([stringToHex("https://example.com/metadata/"), ...oddTexts.slice(1)] as [Text, ...Text[]]);
  return concat(Array.from({ length: Math.ceil((1_000 + random.below(2_000)) / (piece.length / 2 - 1)) }, () => piece));
};

export const anyText = (random: Random): Text => {
  if (random.chance(0.05)) return longText(random);
  if (random.chance(0.35)) return random.pick(oddTexts);
  // Ponder infers the argument of a key from equal values. This looks like an id, a count or a log index.
  if (random.chance(0.2)) return stringToHex(String(1 + random.below(5)));
  return stringToHex(`ipfs://${random.below(1_000_000)}`);
};
