import { escapeInvisible } from "../../common/text";
import { cellOf, isRow, type Row, type Tokens } from "./cell";
import { shortened } from "./columns";

/** A text of several lines that is safe to show on a terminal. */
const safeLines = (text: string) => text.split("\n").map(escapeInvisible).join("\n");

const isTable = (value: unknown): value is readonly Row[] => Array.isArray(value) && value.every(isRow);

const lengthOf = (text: string) => [...text].length;

const GAP = 2;

/** The least width of a column whose texts are shortened. */
const MIN_TEXT = 16;

const fitted = (text: string, width: number) => {
  const characters = [...text];
  return characters.length > width ? `${characters.slice(0, width - 1).join("")}…` : text.padEnd(width);
};

/** Narrows the widest columns until all fit into the width, but none below its minimum. Undefined if they can't. */
function narrowed(widths: readonly number[], minimums: readonly number[], width: number): number[] | undefined {
  const result = [...widths];
  let excess = result.reduce((sum, one) => sum + one, GAP * (widths.length - 1)) - width;
  for (; excess > 0; excess--) {
    const spare = result.map((one, column) => (one > (minimums[column] ?? 0) ? one : 0));
    const widest = Math.max(...spare);
    if (widest === 0) return undefined;
    result[spare.indexOf(widest)] = widest - 1;
  }
  return result;
}

/** An object as lines of names and values. Nested objects have names with dots, and their amounts the tokens of the whole. */
function linesOf(row: Row, tokens: Tokens, around: Row = {}, prefix = ""): [name: string, value: string][] {
  const whole = { ...around, ...row };
  return Object.entries(row).flatMap(([name, value]): [string, string][] => {
    const path = `${prefix}${escapeInvisible(name)}`;
    if (isRow(value) && Object.keys(value).length > 0) return linesOf(value, tokens, whole, `${path}.`);
    return [[path, cellOf(name, whole, tokens, false)]];
  });
}

function recordText(row: Row, tokens: Tokens): string {
  const lines = linesOf(row, tokens);
  const width = Math.max(0, ...lines.map(([name]) => lengthOf(name)));
  return lines.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join("\n");
}

type Shown = { tokens: Tokens; columns: readonly string[] | undefined; width: number };

/** Rows in aligned columns with a header. Texts are shortened, and the last columns omitted, until they fit. */
function rowsText(rows: readonly Row[], { tokens, columns, width }: Shown): string {
  const names = (columns ?? [...new Set(rows.flatMap((row) => Object.keys(row)))]).filter((name) =>
    rows.some((row) => row[name] !== null && row[name] !== undefined),
  );
  const cells = rows.map((row) => names.map((name) => cellOf(name, row, tokens, true)));
  const header = names.map(escapeInvisible);
  const wanted = header.map((name, column) =>
    Math.max(lengthOf(name), ...cells.map((row) => lengthOf(row[column] ?? ""))),
  );
  const least = wanted.map((one, column) => {
    const isShortened = columns === undefined || shortened.has(names[column] ?? "");
    return isShortened ? Math.min(one, Math.max(MIN_TEXT, lengthOf(header[column] ?? ""))) : one;
  });
  let shown = names.length;
  let widths = narrowed(wanted, least, width);
  while (!widths && shown > 1) {
    shown -= 1;
    widths = narrowed(wanted.slice(0, shown), least, width);
  }
  const line = (row: readonly string[]) =>
    row
      .slice(0, shown)
      .map((cell, column) => fitted(cell, widths?.[column] ?? width))
      .join(" ".repeat(GAP))
      .trimEnd();
  return [header, ...cells].map(line).join("\n");
}

type List = {
  rows: readonly Row[];
  /** The cursor of the next page. */
  next: string | undefined;
  /** Other tables beside the list, by name, such as the exact matches of a search. */
  others: readonly (readonly [name: string, rows: readonly Row[]])[];
};

/** The rows of a list. Undefined if a response is not a list. */
export function listIn(value: unknown): List | undefined {
  if (isTable(value)) return { rows: value, next: undefined, others: [] };
  if (!isRow(value)) return undefined;
  const { pagination, ...rest } = value;
  const tables = Object.entries(rest).flatMap(([name, member]) => (isTable(member) ? [[name, member] as const] : []));
  const last = tables.at(-1);
  // Only the last one has pages. A response with a list may also repeat a parameter, such as the account.
  const isWhole = pagination !== undefined || Object.keys(rest).length === 1 || last?.[0] === "ranking";
  if (!last || !isWhole) return undefined;
  const next = isRow(pagination) ? pagination.next_cursor : undefined;
  return { rows: last[1], next: typeof next === "string" ? next : undefined, others: tables.slice(0, -1) };
}

const noTokens: Tokens = new Map();

/**
 * A response for people: a list as a table, an object as names and values, a text as it is.
 *
 * @example
 * tableText({ agents: [{ agent_id: "1", owner: "0x70…" }], pagination: { count: 1, next_cursor: null } }, { width: 80 })
 * // agent_id  owner
 * // 1         0x70…
 */
export function tableText(
  value: unknown,
  { width, tokens = noTokens, columns }: { width: number; tokens?: Tokens; columns?: readonly string[] },
): string {
  if (typeof value === "string") return safeLines(value);
  const list = listIn(value);
  if (list) {
    const others = list.others
      .filter(([, rows]) => rows.length > 0)
      .map(([name, rows]) => `${escapeInvisible(name)}:\n${rowsText(rows, { tokens, columns: undefined, width })}\n\n`);
    const table = list.rows.length > 0 ? rowsText(list.rows, { tokens, columns, width }) : "(none)";
    const next = list.next === undefined ? "" : `\n\nNext page: cursor=${escapeInvisible(list.next)}`;
    return `${others.join("")}${table}${next}`;
  }
  return isRow(value) ? recordText(value, tokens) : cellOf("value", { value }, tokens, false);
}
