import { keccak256 } from "js-sha3";

/**
 * The keccak256 of bytes, in hex. In a module of its own, because only documents need the code. With viem's, the browser
 * would also load what the page with the wallet needs.
 */
export const hashOfBytes = (bytes: Uint8Array): string => `0x${keccak256(bytes)}`;
