/** Texts that spreadsheets run as formulas. Negative numbers are none. */
const isFormula = (text: string) => /^[=+\-@\t\r＝＋－＠]/u.test(text) && !/^-\d+(\.\d+)?$/.test(text);

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  const plain = typeof value === "object" ? JSON.stringify(value) : String(value);
  // An apostrophe makes a spreadsheet show a text instead of running it.
  const text = isFormula(plain) ? `'${plain}` : plain;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Writes records of the API as CSV (RFC 4180), with the names of their fields. Texts of the chain can't become formulas.
 *
 * @example
 * csvOf([{ id: "1", name: "=1+1" }]) // "id,name\r\n1,'=1+1\r\n"
 */
export function csvOf(records: readonly object[]): string {
  const names = Object.keys(records[0] ?? {});
  const lines = [names, ...records.map((record) => Object.values(record))];
  return records.length === 0 ? "" : lines.map((line) => `${line.map(cellOf).join()}\r\n`).join("");
}
