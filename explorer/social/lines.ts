/** The width of a character in ems of a sans-serif font, rather too large than too small. */
function widthOf(character: string): number {
  if (/[il.,:;'|!()[\]\s]/.test(character)) return 0.36;
  if (/[mwMW@%]/.test(character)) return 1;
  if (/[a-z]/.test(character)) return 0.62;
  return (character.codePointAt(0) ?? 0) < 0x1100 ? 0.76 : 1.1;
}

/** The longest beginning of a word that has room. At least one character. */
function fitting(word: string, width: number): string {
  let used = 0;
  let fit = "";
  for (const character of word) {
    used += widthOf(character);
    if (fit !== "" && used > width) return fit;
    fit += character;
  }
  return fit;
}

const textWidth = (text: string) => [...text].reduce((sum, character) => sum + widthOf(character), 0);

/**
 * Breaks a text into lines of a width in ems, between words where possible. What has no room is left out, with an ellipsis.
 *
 * @example
 * linesOf("one two three", 4, 2) // ["one two", "three"]
 */
export function linesOf(text: string, width: number, maxLines: number): readonly string[] {
  const words = text.split(/\s+/).filter(Boolean);
  const lines: string[] = [];
  while (words.length > 0 && lines.length < maxLines) {
    let line = "";
    for (let [word] = words; word !== undefined; [word] = words) {
      const longer = line === "" ? word : `${line} ${word}`;
      if (textWidth(longer) > width) break;
      line = longer;
      words.shift();
    }
    if (line === "") {
      const [word = ""] = words;
      line = fitting(word, width);
      words[0] = word.slice(line.length);
    }
    lines.push(line);
  }
  const last = lines.at(-1);
  if (words.length > 0 && last !== undefined) lines[lines.length - 1] = `${fitting(last, width - 1)}…`;
  return lines;
}
