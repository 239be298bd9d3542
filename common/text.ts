/** Control characters, text direction marks, invisible characters and line separators. */
export const INVISIBLE: RegExp = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]+/gu;

/** The same without the joiners and variation selectors that some scripts and emoji need, and without line breaks. */
export const INVISIBLE_IN_PROSE: RegExp =
  /(?:(?!\t|\n|\r|\u200c|\u200d|\ufe0e|\ufe0f)[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}])+/gu;

const escapedUnits = (characters: string): string =>
  Array.from(
    { length: characters.length },
    (_, index) => `\\u${characters.charCodeAt(index).toString(16).padStart(4, "0")}`,
  ).join("");

/**
 * Writes invisible characters as escapes. Anyone can write texts on chain, also with characters that control a terminal or
 * reverse the text after them.
 *
 * @example
 * escapeInvisible("a\u202eb") // "a\\u202eb"
 */
export const escapeInvisible = (text: string): string => text.replace(INVISIBLE, escapedUnits);

/** The longest text that a sentence quotes as a whole. */
const MAX_QUOTED = 80;

/** A text that anyone may have written, for a sentence of ours: in quotes, in one line, and cut when long. */
export function quotedText(text: string, maxCharacters: number = MAX_QUOTED): string {
  // A character has at most two code units.
  const characters = [...text.slice(0, 2 * (maxCharacters + 1))];
  const shown = characters.length > maxCharacters ? `${characters.slice(0, maxCharacters).join("")}…` : text;
  return escapeInvisible(JSON.stringify(shown));
}
