/** The edit distance of two strings: inserted, deleted and replaced letters, and swaps of two neighbors. */
export function distance(one: string, other: string): number {
  let beforeLast: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, place) => place);
  for (let line = 0; line < one.length; line++) {
    const next = [line + 1];
    for (let place = 0; place < other.length; place++) {
      const replaced = (row[place] ?? 0) + (one[line] === other[place] ? 0 : 1);
      const isSwap = line > 0 && place > 0 && one[line] === other[place - 1] && one[line - 1] === other[place];
      const swapped = isSwap ? (beforeLast[place - 1] ?? 0) + 1 : replaced;
      next.push(Math.min((next[place] ?? 0) + 1, (row[place + 1] ?? 0) + 1, replaced, swapped));
    }
    [beforeLast, row] = [row, next];
  }
  return row.at(-1) ?? 0;
}

const SHOWN = 3;

/**
 * Suggests up to three names for a mistyped one, nearest first.
 *
 * @example
 * nearest("agent.get", ["agents.get", "bids.list"]) // ["agents.get"]
 */
export const nearest = (asked: string, names: readonly string[]): string[] =>
  names
    .map((name) => ({ name, away: distance(asked.toLowerCase(), name.toLowerCase()) }))
    .filter(({ away }) => away <= asked.length / 2)
    .sort((one, other) => one.away - other.away)
    .slice(0, SHOWN)
    .map(({ name }) => name);
