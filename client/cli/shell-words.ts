/** A text as one word of a shell. */
export const shellQuoted = (text: string): string =>
  /^[\w.,:=/@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** An input as words of the command line. */
export const wordsOf = (input: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(input).map(([name, value]) =>
    shellQuoted(typeof value === "object" ? `${name}:=${JSON.stringify(value)}` : `${name}=${value}`),
  );
