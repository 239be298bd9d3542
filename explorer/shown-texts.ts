import { INVISIBLE_IN_PROSE } from "../common/text";

/** The contracts accept texts of any length. A page shows this many characters, and the API has the rest. */
const MAX_CHARACTERS = 1_000;

const shownText = (text: string, maxCharacters: number) =>
  (text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text).replace(INVISIBLE_IN_PROSE, "\ufffd");

/**
 * Shortens all texts in a value, and makes invisible characters visible. Anyone can put megabytes into the rows of a list, and
 * marks that reverse the text after them.
 */
export function shownTexts<Value>(value: Value, maxCharacters?: number): Value;
export function shownTexts(value: unknown, maxCharacters = MAX_CHARACTERS): unknown {
  if (typeof value === "string") return shownText(value, maxCharacters);
  if (Array.isArray(value)) return value.map((item) => shownTexts(item, maxCharacters));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shownTexts(member, maxCharacters)]));
}
