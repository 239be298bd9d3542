import type { Tokens } from "./cell";
import { chartText, isTimeSeries } from "./chart";
import { csvText } from "./csv";
import { listIn, tableText } from "./table";

/** How to print a response. Undefined: a table on a terminal, and JSON elsewhere. */
export type Format = "json" | "table" | "csv" | undefined;

const DEFAULT_WIDTH = 80;

export const isForPeople = (format: Format) => (format ?? (process.stdout.isTTY ? "table" : "json")) === "table";

/** A reader that ends early, such as `head`, is not a failure. */
function onWriteError(error: NodeJS.ErrnoException): void {
  if (error.code === "EPIPE") return;
  console.error(`The output can't be written: ${error.message}`);
  process.exit(1);
}

/** Prints a text with the end of its last line. */
export function printText(text: string): void {
  if (!process.stdout.listeners("error").includes(onWriteError)) process.stdout.on("error", onWriteError);
  process.stdout.write(`${text}\n`);
}

/** Prints a response for people. */
export function printTable(value: unknown, tokens: Tokens, columns: readonly string[] | undefined): void {
  const width = process.stdout.columns ?? DEFAULT_WIDTH;
  printText(isTimeSeries(value) ? chartText(value, tokens, width) : tableText(value, { width, tokens, columns }));
}

/** Prints a response for programs. Texts, such as documents, are printed unchanged. */
export function printExact(value: unknown, format: Format): void {
  const text = format === "csv" ? csvText : (one: unknown) => JSON.stringify(one, null, 2);
  printText(typeof value === "string" ? value : text(value));
  const next = format === "csv" ? listIn(value)?.next : undefined;
  if (next !== undefined) console.error(`Next page: cursor=${next}`);
}
