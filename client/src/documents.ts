import { type Hex, keccak256, stringToBytes } from "viem";

/**
 * The name of a document: the keccak256 of its text in UTF-8. Every space counts.
 *
 * @example
 * documentHash('{"services":[]}') // "0x0b2238eb…"
 */
export const documentHash = (text: string): Hex => keccak256(stringToBytes(text));
