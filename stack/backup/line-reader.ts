import { createHash } from "node:crypto";
import { END_OF_ROWS } from "./format";

/** A backup ends early, or has a line where none can be. */
export class IncompleteLines extends Error {
  override name = "IncompleteLines";
}

/** Rows, and other lines, are shorter. A file without newlines is not a backup, and would be read into memory. */
const MAX_ROW = 256 * 1024 * 1024;
const MAX_LINE = 1_000_000;

const NEWLINE = 10;

/** Reads the lines and rows of a backup, and their checksum, from a stream of bytes. */
export class LineReader {
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #hash = createHash("sha256");
  #buffered: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#chunks = source[Symbol.asyncIterator]();
  }

  /** The checksum of everything that has been returned. */
  digest(): string {
    return this.#hash.copy().digest("hex");
  }

  /** The next line, without its newline. Undefined at the end. */
  async line(): Promise<string | undefined> {
    let end = this.#buffered.indexOf(NEWLINE);
    while (end < 0) {
      if (!(await this.#readMore(MAX_LINE))) {
        if (this.#buffered.length === 0) return undefined;
        throw new IncompleteLines("The last line is incomplete");
      }
      end = this.#buffered.indexOf(NEWLINE);
    }
    return this.#take(end + 1).toString("utf8", 0, end);
  }

  /** The rows up to the end of the table, in chunks of whole lines. */
  async *rows(): AsyncGenerator<Buffer> {
    for (;;) {
      const end = this.#endOfRows();
      if (end !== undefined) {
        if (end > 0) yield this.#take(end);
        this.#take(END_OF_ROWS.length);
        return;
      }
      const lastLine = this.#buffered.lastIndexOf(NEWLINE) + 1;
      if (lastLine > 0) yield this.#take(lastLine);
      if (!(await this.#readMore(MAX_ROW))) throw new IncompleteLines("A table is incomplete");
    }
  }

  /** The position of the line that ends the rows. The buffer begins with a line. */
  #endOfRows(): number | undefined {
    if (this.#buffered.subarray(0, END_OF_ROWS.length).equals(Buffer.from(END_OF_ROWS))) return 0;
    const before = this.#buffered.indexOf(`\n${END_OF_ROWS}`);
    return before < 0 ? undefined : before + 1;
  }

  #take(length: number): Buffer {
    const taken = this.#buffered.subarray(0, length);
    this.#buffered = this.#buffered.subarray(length);
    this.#hash.update(taken);
    return taken;
  }

  /** Reads up to the next newline, or the end. Returns false at the end. */
  async #readMore(maxLength: number): Promise<boolean> {
    const parts = [this.#buffered];
    let length = this.#buffered.length;
    for (;;) {
      const { done, value } = await this.#chunks.next();
      if (done) break;
      parts.push(value);
      length += value.length;
      if (value.includes(NEWLINE)) break;
      if (length > maxLength) throw new IncompleteLines("A line is too long");
    }
    this.#buffered = Buffer.concat(parts);
    return parts.length > 1;
  }
}
