import { Unavailable } from "../core/errors";
import { createSemaphore } from "../core/semaphore";
import { blockOf, type Cursor } from "./cursor";
import type { EventLog } from "./event-log";
import type { Entry, EventRow, Messages, SentEvent } from "./message";

/** Rows per query. The log limits their bytes too. */
const PAGE = 100;

/** Concurrent queries. Subscribers that catch up leave connections to other requests. */
const MAX_CONCURRENT_READS = 4;
const WAIT_MS = 60_000;

/** The memory of the pages that are kept for other subscribers. */
const KEPT_BYTES = 16 * 1024 * 1024;

type Page = readonly Entry<SentEvent>[];

/** An estimate of a page's memory. Its messages are also kept in one piece, as subscribers receive them. */
const sizeOf = (page: Page) => page.reduce((sum, { size, bytes }) => sum + size + bytes.length, 0);

/** A page that is read or kept. `bytes` is 0 until it is read. */
type Kept = { page: Promise<Page | undefined>; bytes: number };

/**
 * The event log before the journal, in pages. Finalized events don't change, so subscribers that start at the same event
 * share their pages: each is read and encoded once, as long as it is kept.
 */
export class History {
  /** Finalized pages, least recently used first. */
  private readonly kept = new Map<string, Kept>();
  private bytes = 0;
  private readonly reads = createSemaphore(MAX_CONCURRENT_READS);

  constructor(private readonly options: { log: EventLog; messages: Messages }) {}

  /**
   * The first finalized events after a cursor, up to `base`; with `names`, only these events. Empty if there are none.
   * Undefined if the log lacks `base`, because the indexer has rolled back.
   */
  finalized(after: Cursor, base: Cursor, names?: readonly string[]): Promise<Page | undefined> {
    // A contradictory filter has no names, which is not the same as all events.
    const key = JSON.stringify([after.eventId, base.id, names]);
    const kept = this.kept.get(key) ?? this.readFinalized(key, after, base, names);
    // The most recently used page is the last one.
    this.kept.delete(key);
    this.kept.set(key, kept);
    return kept.page;
  }

  /** The first rows after a cursor, up to another one; with `names`, only these events. Undefined if the log lacks `upTo`. */
  async rows(after: Cursor, upTo: Cursor, names?: readonly string[]): Promise<EventRow[] | undefined> {
    const read = async () => ({ rows: await this.options.log.rows(after, upTo, PAGE, names) });
    const result = await this.reads.run("", WAIT_MS, read);
    if (!result) throw new Unavailable("The event log is busy. Reconnect with the last event id");
    return result.rows;
  }

  private readFinalized(key: string, after: Cursor, base: Cursor, names?: readonly string[]): Kept {
    const page = this.rows(after, base, names).then((rows) =>
      rows?.map((row) => this.options.messages.event(row, blockOf(base))),
    );
    const kept: Kept = { page, bytes: 0 };
    const forget = () => this.kept.get(key) === kept && this.kept.delete(key);
    page.then((entries) => (entries ? this.keep(key, kept, entries) : forget()), forget);
    return kept;
  }

  /** Counts the bytes of a page, and evicts the least recently used pages above the limit. */
  private keep(key: string, kept: Kept, entries: Page): void {
    if (this.kept.get(key) !== kept) return;
    kept.bytes = sizeOf(entries);
    this.bytes += kept.bytes;
    for (const [oldest, { bytes }] of this.kept) {
      if (this.bytes <= KEPT_BYTES) return;
      this.kept.delete(oldest);
      this.bytes -= bytes;
    }
  }
}
