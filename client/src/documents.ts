import { type Hex, keccak256, stringToBytes } from "viem";

/**
 * The hash that identifies a document: the keccak256 of its UTF-8 bytes, including whitespace.
 *
 * @example
 * documentHash('{"services":[]}') // "0x0b2238eb…"
 */
export const documentHash = (text: string): Hex => keccak256(stringToBytes(text));
