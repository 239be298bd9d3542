import type { Hash } from "viem";

/** A block of the chain. */
export type SeenBlock = { number: bigint; hash: Hash; timestamp: bigint };

/** What remains of blocks that were seen earlier. */
export type Compared = {
  kept: readonly SeenBlock[];
  /** The time since when the chain has changed. Undefined if no block was removed. */
  changedSince: bigint | undefined;
};

/**
 * Compares blocks, the newest first, with the chain. Usually one request: the newest is still there, and so are all others.
 * `hashAt` is undefined for a block that the node does not have, which may only be behind.
 */
export async function compareBlocks(
  blocks: readonly SeenBlock[],
  hashAt: (number: bigint) => Promise<Hash | undefined>,
): Promise<Compared> {
  let isRemoved = false;
  for (const [index, { number, hash, timestamp }] of blocks.entries()) {
    const found = await hashAt(number);
    if (found === hash) return { kept: blocks.slice(index), changedSince: index === 0 ? undefined : timestamp };
    isRemoved ||= found !== undefined;
  }
  return isRemoved ? { kept: [], changedSince: 0n } : { kept: blocks, changedSince: undefined };
}
