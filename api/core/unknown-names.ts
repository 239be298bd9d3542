import { nearest } from "../../common/nearest";

/** How many unknown names, and how many characters of each, an error contains. A client can send thousands. */
const MAX_UNKNOWN = 3;
const MAX_CHARACTERS = 60;

/** How many names an error offers. No operation has more. */
const MAX_OFFERED = 30;

/** A name as the error shows it. */
const shown = (name: string) =>
  name === "" ? '""' : name.length > MAX_CHARACTERS ? `${name.slice(0, MAX_CHARACTERS)}…` : name;

/** What to do about an unknown name. */
function hintFor(name: string, known: readonly string[]): string {
  const [near] = nearest(name, known);
  if (near !== undefined) return `did you mean ${near}?`;
  return known.length === 0 ? "no names are accepted here" : `the names are ${known.slice(0, MAX_OFFERED).join(", ")}`;
}

/**
 * The problems with names that an operation, or an object in its input, does not have. Empty if it has all of them.
 *
 * @example
 * unknownNames(["valeu"], new Set(["value", "data"])) // ["valeu: unknown; did you mean value?"]
 */
export function unknownNames(sent: Iterable<string>, known: ReadonlySet<string>, within = ""): string[] {
  const unknown = [...new Set(sent)].filter((name) => !known.has(name));
  const problems = unknown
    .slice(0, MAX_UNKNOWN)
    .map((name) => `${within}${shown(name)}: unknown; ${hintFor(name, [...known])}`);
  const more = unknown.length - problems.length;
  return more > 0 ? [...problems, `and ${more} more unknown names`] : problems;
}
