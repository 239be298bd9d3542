/** A block with events: its number, padded as in event ids, and its hash. */
export type EventBlock = { number: string; hash: string };

/**
 * How the blocks that were sent compare with the log. `kept` is how many of them the log still has.
 * - `same`: all of them.
 * - `orphaned`: the log has other blocks in place of the rest.
 * - `missing`: the log lacks the rest and has nothing in its place. Either a reorg dropped them, or the indexer rolled
 *   back and will index them again. The log alone can't tell which.
 */
export type Comparison = { kept: number; verdict: "same" | "orphaned" | "missing" };

/**
 * Compares the blocks that were sent with the blocks of the log in the same range. `more` is whether the log has blocks
 * after that range. A block's hash determines its events and all blocks before it, so everything in the log after the
 * first difference is on another branch.
 */
export function compareBlocks(sent: readonly EventBlock[], present: readonly EventBlock[], more: boolean): Comparison {
  const differs = sent.findIndex(({ number, hash }, index) => {
    const other = present[index];
    return other?.number !== number || other.hash !== hash;
  });
  if (differs === -1) return { kept: sent.length, verdict: "same" };
  return { kept: differs, verdict: present.length > differs || more ? "orphaned" : "missing" };
}
