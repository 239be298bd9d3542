import { tableText } from "./table";

/** How to print a response. Undefined: a table on a terminal, and JSON elsewhere. */
export type Format = "json" | "table" | undefined;

const DEFAULT_WIDTH = 80;

export const isTable = (format: Format) => (format ?? (process.stdout.isTTY ? "table" : "json")) === "table";

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

/** Prints a response. Texts, such as documents, are printed unchanged where no terminal interprets them. */
export function print(value: unknown, format: Format): void {
  if (isTable(format)) printText(tableText(value, process.stdout.columns ?? DEFAULT_WIDTH));
  else printText(typeof value === "string" ? value : JSON.stringify(value, null, 2));
}
