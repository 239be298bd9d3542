import { isRow, type Row } from "./cell";
import { listIn } from "./table";

/** The fields of a record. Nested objects have names with dots. */
const fieldsOf = (row: Row, prefix = ""): [name: string, value: unknown][] =>
  Object.entries(row).flatMap(([name, value]): [string, unknown][] =>
    isRow(value) && Object.keys(value).length > 0
      ? fieldsOf(value, `${prefix}${name}.`)
      : [[`${prefix}${name}`, value]],
  );

/** A field of RFC 4180. */
function quoted(value: unknown): string {
  const text = value === null || value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * A response for programs, with exact values: a line of names, and a line for each row of a list or for the record.
 *
 * @example
 * csvText({ agents: [{ agent_id: "1", revoked: false }], pagination: … }) // "agent_id,revoked\n1,false"
 */
export function csvText(value: unknown): string {
  const rows = listIn(value)?.rows ?? [isRow(value) ? value : { value }];
  const fields = rows.map((row) => new Map(fieldsOf(row)));
  const names = [...new Set(fields.flatMap((row) => [...row.keys()]))];
  return [names, ...fields.map((row) => names.map((name) => row.get(name)))]
    .map((line) => line.map(quoted).join(","))
    .join("\n");
}
