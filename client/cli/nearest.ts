/** The Levenshtein distance of two strings. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, place) => place);
  for (const [line, letter] of [...one].entries()) {
    const next = [line + 1];
    for (const [place, against] of [...other].entries())
      next.push(
        Math.min((next[place] ?? 0) + 1, (row[place + 1] ?? 0) + 1, (row[place] ?? 0) + (letter === against ? 0 : 1)),
      );
    row = next;
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
