import { z } from "zod";

// A backup is a gzip file of lines:
//
//   {"format":"intentry-store","version":1,"migration":1795030000000,…}   the header
//   {"table":"bid","columns":["number",…],"sequences":{"number":"18"}}    a table, followed by its rows
//   17\t31337\t0x…                                                        one row per line, in PostgreSQL's COPY text format
//   \.                                                                    the end of the table
//   {"tables":[{"name":"bid","rows":1,"bytes":90,"sha256":"…"}],"sha256":"…"}
//
// COPY's text format preserves the values of all types and can be read by all versions of PostgreSQL, unlike its binary
// format. Both sides stream it, so that memory does not depend on the size of the store.

const FORMAT = "intentry-store";

/** Increased when an older version could no longer read a backup. */
export const FORMAT_VERSION = 1;

/** Ends the rows of a table. COPY escapes backslashes, so no row equals it. */
export const END_OF_ROWS = "\\.\n";

const Digest = z.string().regex(/^[0-9a-f]{64}$/);
const Count = z.number().int().min(0);

export const Header = z.object({
  format: z.literal(FORMAT),
  version: z.number().int().min(1),
  /** The time of the store's last migration, which identifies it. */
  migration: z.number().int(),
  /** The version of the PostgreSQL server. */
  server: z.string(),
  /** When the backup was made. */
  time: z.iso.datetime(),
});

export const TableHeader = z.object({
  table: z.string(),
  columns: z.array(z.string()).min(1),
  /** The next value of each sequence, by its column. */
  sequences: z.record(z.string(), z.string().regex(/^\d+$/)),
});
export type TableHeader = z.infer<typeof TableHeader>;

export const TableSummary = z.object({
  name: z.string(),
  rows: Count,
  /** The size of the rows, before compression. */
  bytes: Count,
  /** The checksum of the rows. */
  sha256: Digest,
});
export type TableSummary = z.infer<typeof TableSummary>;

export const Footer = z.object({
  tables: z.array(TableSummary),
  /** The checksum of everything before this line. */
  sha256: Digest,
});

export const headerOf = (facts: Omit<z.infer<typeof Header>, "format" | "version">): z.infer<typeof Header> => ({
  format: FORMAT,
  version: FORMAT_VERSION,
  ...facts,
});

export const lineOf = (value: object): Buffer => Buffer.from(`${JSON.stringify(value)}\n`);

/** The number of lines in a chunk of rows. COPY escapes newlines in values, so each line is a row. */
export function countLines(chunk: Uint8Array): number {
  let count = 0;
  for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) count++;
  return count;
}
