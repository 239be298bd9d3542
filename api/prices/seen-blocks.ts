import type { Hash } from "viem";

/** A block of the chain. */
export type SeenBlock = { number: bigint; hash: Hash; timestamp: bigint };

/** What remains of blocks that were seen earlier. */
export type Compared = {
  /** Those that are still in the chain. */
  kept: readonly SeenBlock[];
  /** The time since when the chain has changed. Undefined if no block was removed. */
  changedSince: bigint | undefined;
};

/** Compares blocks, the newest first, with the chain. Usually one request: the newest is still there, and so are all others. */
export async function compareBlocks(
  blocks: readonly SeenBlock[],
  hashAt: (number: bigint) => Promise<Hash | undefined>,
): Promise<Compared> {
  for (const [index, { number, hash, timestamp }] of blocks.entries())
    if ((await hashAt(number)) === hash)
      return { kept: blocks.slice(index), changedSince: index === 0 ? undefined : timestamp };
  return { kept: [], changedSince: blocks.length === 0 ? undefined : 0n };
}
