import { type Hex, hexToBytes } from "viem";
import { INVISIBLE } from "../../common/text";

const WORD = 32;

/** A word of ABI-encoded data as a number, or undefined if it is not within the data. */
function sizeAt(data: Hex, offset: number): number | undefined {
  const bytes = data.length / 2 - 1;
  if (offset + WORD > bytes) return undefined;
  const value = BigInt(`0x${data.slice(2 + 2 * offset, 2 + 2 * (offset + WORD))}`);
  return value <= BigInt(bytes) ? Number(value) : undefined;
}

/** The first bytes of a returned `string`, or of a `bytes32` as the first tokens returned it. */
function bytesOf(data: Hex, maxBytes: number): Uint8Array | undefined {
  const slice = (offset: number, size: number) =>
    hexToBytes(`0x${data.slice(2 + 2 * offset, 2 + 2 * (offset + Math.min(size, maxBytes)))}`);
  if (data.length === 2 + 2 * WORD) return slice(0, Number.POSITIVE_INFINITY).filter((byte) => byte !== 0);
  const start = sizeAt(data, 0);
  const size = start === undefined ? undefined : sizeAt(data, start);
  if (start === undefined || size === undefined || start + WORD + size > data.length / 2 - 1) return undefined;
  return slice(start + WORD, size);
}

/** Marks beyond the second on one letter. Many of them cover the lines above and below. */
const STACKED_MARKS = /(\p{M}{2})\p{M}+/gu;

/**
 * The text that a token's contract returned for its symbol or name: one short line, in which U+FFFD takes the place of
 * characters that are not shown. Null if there is none.
 *
 * @param data The result of the call. Only as much of it is decoded as is needed.
 */
export function tokenText(data: Hex, maxCharacters: number): string | null {
  // A character has at most four bytes.
  const bytes = bytesOf(data, 4 * (maxCharacters + 1));
  if (!bytes) return null;
  const text = new TextDecoder()
    .decode(bytes)
    .replace(/\s+/g, " ")
    .trim()
    .replace(INVISIBLE, "\uFFFD")
    .replace(STACKED_MARKS, "$1");
  const characters = [...text];
  if (characters.every((character) => character === "\uFFFD" || character === " ")) return null;
  return characters.length > maxCharacters ? `${characters.slice(0, maxCharacters - 1).join("")}…` : text;
}
