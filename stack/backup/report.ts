import type { TableSummary } from "./format";

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

const counted = (count: number, noun: string) => `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;

/** One line per table, and the totals. */
export function tablesReport(tables: readonly TableSummary[]): string {
  const width = Math.max(...tables.map(({ name }) => name.length));
  const lines = tables.map(
    ({ name, rows, bytes }) => `  ${name.padEnd(width)}  ${counted(rows, "row")}, ${counted(bytes, "byte")}`,
  );
  const totals = [
    counted(sum(tables.map(({ rows }) => rows)), "row"),
    counted(sum(tables.map(({ bytes }) => bytes)), "byte"),
  ];
  return [...lines, `${counted(tables.length, "table")}, ${totals.join(", ")}`].join("\n");
}
