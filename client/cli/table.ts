import { escapeInvisible } from "../src/text";

/** A text of several lines that is safe to show on a terminal. */
const safeLines = (text: string) => text.split("\n").map(escapeInvisible).join("\n");

type Row = Readonly<Record<string, unknown>>;

const isRow = (value: unknown): value is Row => typeof value === "object" && value !== null && !Array.isArray(value);

const isTable = (value: unknown): value is readonly Row[] => Array.isArray(value) && value.every(isRow);

/** A value in one line. */
function cellOf(value: unknown): string {
  if (value === null || value === undefined) return "-";
  return escapeInvisible(typeof value === "string" ? value : JSON.stringify(value));
}

const lengthOf = (text: string) => [...text].length;

const GAP = 2;

const fitted = (text: string, width: number) => {
  const characters = [...text];
  return characters.length > width ? `${characters.slice(0, width - 1).join("")}…` : text.padEnd(width);
};

/** Narrows the widest columns until all fit into the width, but none to less than its header. Undefined if they can't. */
function narrowed(widths: readonly number[], headers: readonly number[], width: number): number[] | undefined {
  const result = [...widths];
  let excess = result.reduce((sum, one) => sum + one, GAP * (widths.length - 1)) - width;
  for (; excess > 0; excess--) {
    const spare = result.map((one, column) => (one > (headers[column] ?? 0) ? one : 0));
    const widest = Math.max(...spare);
    if (widest === 0) return undefined;
    result[spare.indexOf(widest)] = widest - 1;
  }
  return result;
}

/** An object as lines of names and values. Nested objects have names with dots. */
function linesOf(row: Row, prefix = ""): [name: string, value: string][] {
  return Object.entries(row).flatMap(([name, value]): [string, string][] => {
    const path = `${prefix}${escapeInvisible(name)}`;
    if (isRow(value) && Object.keys(value).length > 0) return linesOf(value, `${path}.`);
    return [[path, cellOf(value)]];
  });
}

function recordText(row: Row): string {
  const lines = linesOf(row);
  const width = Math.max(0, ...lines.map(([name]) => lengthOf(name)));
  return lines.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join("\n");
}

/** Rows as a table with a header. Rows that don't fit into the width are separate records. */
function rowsText(rows: readonly Row[], width: number): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cells = rows.map((row) => names.map((name) => cellOf(row[name])));
  const header = names.map(escapeInvisible);
  const headerWidths = header.map(lengthOf);
  const wanted = headerWidths.map((least, column) =>
    Math.max(least, ...cells.map((row) => lengthOf(row[column] ?? ""))),
  );
  const widths = narrowed(wanted, headerWidths, width);
  if (!widths) return rows.map(recordText).join("\n\n");
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => fitted(cell, widths[column] ?? 0))
      .join(" ".repeat(GAP))
      .trimEnd();
  return [header, ...cells].map(line).join("\n");
}

/**
 * A response for people: a list as a table, an object as names and values, a text as it is.
 *
 * @example
 * tableText({ agents: [{ agent_id: "1", owner: "0x70…" }], pagination: { count: 1, next_cursor: null } }, 80)
 * // agent_id  owner
 * // 1         0x70…
 */
export function tableText(value: unknown, width: number): string {
  if (typeof value === "string") return safeLines(value);
  if (isTable(value)) return value.length > 0 ? rowsText(value, width) : "(none)";
  if (!isRow(value)) return cellOf(value);
  const { pagination, ...rest } = value;
  const [list, ...others] = Object.values(rest);
  if (others.length > 0 || !isTable(list)) return recordText(value);
  const next = isRow(pagination) ? pagination.next_cursor : undefined;
  const table = list.length > 0 ? rowsText(list, width) : "(none)";
  return typeof next === "string" ? `${table}\n\nNext page: cursor=${escapeInvisible(next)}` : table;
}
