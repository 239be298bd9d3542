/** The edit distance of two strings: inserted, deleted and replaced letters, and swaps of two neighbors. */
function distance(one: string, other: string): number {
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

/** How many letters are the same at the beginning and at the end of two names. */
function shared(one: string, other: string): number {
  let start = 0;
  while (start < one.length && one[start] === other[start]) start++;
  let end = 0;
  while (end < one.length && one.at(-1 - end) === other.at(-1 - end)) end++;
  return start + end;
}

const SHOWN = 3;

/** No name is that long. The bound limits the time that a comparison takes. */
const MAX_CHARACTERS = 100;

/** Ignores case, underscores and a plural: the most frequent mistakes. */
const simplified = (name: string) => name.toLowerCase().replaceAll("_", "").replace(/s$/, "");

/** How many letters of the mistyped name may differ from a name. */
type Tolerance = (asked: string, name: string) => number;

/** A third of the letters, and at least one, but not all of them. */
const aThird: Tolerance = (asked, name) =>
  Math.min(Math.max(1, asked.length / 3), Math.max(asked.length, name.length) - 1);

/**
 * Suggests up to three names for a mistyped one, nearest first.
 *
 * @example
 * nearest("agent.get", ["agents.get", "bids.list"]) // ["agents.get"]
 */
export function nearest(asked: string, names: readonly string[], tolerance: Tolerance = aThird): string[] {
  if (asked.length > MAX_CHARACTERS) return [];
  const simple = simplified(asked);
  const small = asked.toLowerCase();
  return names
    .flatMap((name) => {
      if (asked !== "" && simplified(name) === simple) return [{ name, away: 0, same: 0 }];
      const allowed = tolerance(asked, name);
      const other = name.toLowerCase();
      // The distance is at least the difference of the lengths.
      if (Math.abs(small.length - other.length) > allowed) return [];
      const away = distance(small, other);
      return away <= allowed ? [{ name, away, same: shared(small, other) }] : [];
    })
    .sort((one, other) => one.away - other.away || other.same - one.same)
    .slice(0, SHOWN)
    .map(({ name }) => name);
}
