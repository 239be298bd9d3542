/** A block that has events: its number, as event ids write it, and its hash. */
export type EventBlock = { number: string; hash: string };

/**
 * How what was sent stands to what the log now holds. `kept` is how many of the blocks that were sent are still there.
 * - `same`: all of them.
 * - `replaced`: other blocks stand in the place of the rest, which is removed.
 * - `missing`: the rest is not there, and nothing else is. Either the chain has dropped it, or the index has gone back and
 *   will have it again: the log alone can't tell.
 */
export type Comparison = { kept: number; verdict: "same" | "replaced" | "missing" };

/**
 * Compares the blocks that were sent with those that the log has in the same range; `more` says whether it has any after it.
 * A block's hash determines its events and all blocks before it, so blocks are compared and not events, and whatever the
 * log has after the first difference is of another branch.
 */
export function compareBlocks(sent: readonly EventBlock[], present: readonly EventBlock[], more: boolean): Comparison {
  const differs = sent.findIndex(({ number, hash }, place) => {
    const other = present[place];
    return other?.number !== number || other.hash !== hash;
  });
  if (differs === -1) return { kept: sent.length, verdict: "same" };
  return { kept: differs, verdict: present.length > differs || more ? "replaced" : "missing" };
}
