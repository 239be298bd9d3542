import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { backupName } from "../../stack/backup/back-up";
import { countLines } from "../../stack/backup/format";
import { LineReader } from "../../stack/backup/line-reader";
import { tablesReport } from "../../stack/backup/report";

/** A stream of the text in chunks of the given sizes. */
async function* chunksOf(text: string, sizes: readonly number[]): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  let at = 0;
  for (let index = 0; at < bytes.length; index++) {
    const size = sizes[index % sizes.length] ?? 1;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

async function rowsOf(reader: LineReader): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of reader.rows()) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

describe("the lines of a backup", () => {
  // As COPY writes them: without newlines, and a backslash is always escaped.
  const row = fc.string({ unit: fc.constantFrom("a", "{", ".", "\t", "\\\\", "é", "\\N") });

  it("are read whatever the sizes of the chunks", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(row)),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
        async (tables, sizes) => {
          const texts = tables.map((rows) => rows.map((one) => `${one}\n`).join(""));
          const text = texts.map((rows, index) => `table ${index}\n${rows}\\.\n`).join("");
          const reader = new LineReader(chunksOf(text, sizes));
          for (const [index, rows] of texts.entries()) {
            expect(await reader.line()).toBe(`table ${index}`);
            expect(await rowsOf(reader)).toBe(rows);
          }
          expect(await reader.line()).toBeUndefined();
        },
      ),
    );
  });

  it("are incomplete without their last newline, or without the end of a table", async () => {
    await expect(new LineReader(chunksOf("header", [2])).line()).rejects.toThrow("The last line is incomplete");
    await expect(rowsOf(new LineReader(chunksOf("1\t2\n3\t4\n", [3])))).rejects.toThrow("A table is incomplete");
    await expect(rowsOf(new LineReader(chunksOf("1\t2\n\\.", [3])))).rejects.toThrow("A table is incomplete");
  });

  it("are not read into memory without an end", async () => {
    let bytes = 0;
    async function* endless(): AsyncGenerator<Buffer> {
      for (const chunk = Buffer.alloc(16 * 1024 * 1024, "x"); ; bytes += chunk.length) yield chunk;
    }
    await expect(rowsOf(new LineReader(endless()))).rejects.toThrow("A line is too long");
    expect(bytes).toBeLessThan(300 * 1024 * 1024);
  });

  it("are counted", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("a", "\n", "\\n")), (parts) => {
        expect(countLines(Buffer.from(parts.join("")))).toBe(parts.filter((part) => part === "\n").length);
      }),
    );
  });
});

describe("a backup", () => {
  it("is named by its time in UTC", () => {
    expect(backupName(new Date("2026-11-16T09:30:00.123Z"))).toBe("store-20261116T093000Z.backup.gz");
  });

  it("is reported with its tables, rows and bytes", () => {
    const tables = [
      { name: "bid", rows: 1, bytes: 90, sha256: "" },
      { name: "document", rows: 1_200, bytes: 3_000_000, sha256: "" },
    ];
    expect(tablesReport(tables).split("\n")).toEqual([
      "  bid       1 row, 90 bytes",
      "  document  1,200 rows, 3,000,000 bytes",
      "2 tables, 1,201 rows, 3,000,090 bytes",
    ]);
  });
});
