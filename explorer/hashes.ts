import { keccak256 } from "viem";

/** The keccak256 of bytes, in hex. In a module of its own, because only documents need the code. */
export const hashOfBytes = (bytes: Uint8Array): string => keccak256(bytes);
