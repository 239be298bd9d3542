import { LRUCache } from "lru-cache";
import type { Entry, EventMessage } from "./message";

/** How many messages the journal keeps for subscribers that have not read them yet. */
export type JournalLimits = { messages: number; bytes: number };

/** Entries read from a journal, and the offset to continue at. */
type Batch = { entries: readonly Entry[]; next: number };

/** How many batches are kept for other subscribers at the same offset. */
const SHARED_BATCHES = 64;

/**
 * The latest messages, shared by all subscribers. A subscriber is an offset into it and has no buffer of its own. Those at
 * the same offset receive the same array. One whose offset has been evicted is dropped.
 */
export class Journal {
  private entries: Entry[] = [];
  private bytes = 0;
  /** The offset of the first entry that is kept. */
  private first = 0;
  /** The offset after the message that led to a cursor, by the cursor's id. */
  private readonly offsets = new Map<string, number>();
  /** The cursors of removed events. */
  private readonly removed = new Set<string>();
  /** The offset after the last `removed` message. */
  private lastRemoved = 0;
  /** The offset after the last `finalized` message. */
  private lastFinalized = 0;
  /** The batches that were read last, by their offset and limit. */
  private readonly batches = new LRUCache<string, Batch>({ max: SHARED_BATCHES });

  constructor(
    start: string,
    private readonly limits: JournalLimits,
  ) {
    this.offsets.set(start, 0);
  }

  /** The offset after the last message. */
  get end(): number {
    return this.first + this.entries.length;
  }

  append(entries: readonly Entry[]): void {
    // A batch up to the end is not full.
    for (const [key, { next }] of this.batches) if (next === this.end) this.batches.delete(key);
    for (const entry of entries) {
      this.entries.push(entry);
      this.bytes += entry.size;
      const { id, type } = entry;
      if (id !== null) this.offsets.set(id, this.end);
      if (type === "event") this.removed.delete(id ?? "");
      else this.addControl(entry.message);
    }
    this.evict();
  }

  private addControl({ type, data }: EventMessage): void {
    if (type === "removed") {
      this.removed.add(data.id);
      this.lastRemoved = this.end;
    }
    if (type === "finalized") this.lastFinalized = this.end;
  }

  /**
   * The offset at which a subscriber at this cursor continues, if the journal has all later messages. A removed event
   * continues with its removal, unless a block was finalized since: the events that replaced it are in the journal as
   * pending. Any other cursor must be after the last removal, so that no subscriber receives an event that is already
   * removed.
   */
  offsetAfter(id: string): number | undefined {
    const offset = this.offsets.get(id);
    if (offset === undefined) return undefined;
    return offset >= (this.removed.has(id) ? this.lastFinalized : this.lastRemoved) ? offset : undefined;
  }

  /** Whether the last `finalized` message comes after this offset. */
  hasFinalizedAfter(offset: number): boolean {
    return offset < this.lastFinalized;
  }

  /** Whether the event at this cursor was removed. */
  hasRemoved(id: string): boolean {
    return this.removed.has(id);
  }

  /** The entries from an offset on, up to about `bytes` of them; undefined if the offset has been evicted. */
  read(offset: number, bytes: number): Batch | undefined {
    if (offset < this.first) return undefined;
    const key = `${offset} ${bytes}`;
    const shared = this.batches.get(key);
    if (shared) return shared;
    const batch = this.collect(offset, bytes);
    if (batch.entries.length > 0) this.batches.set(key, batch);
    return batch;
  }

  private collect(offset: number, bytes: number): Batch {
    const entries: Entry[] = [];
    let size = 0;
    for (let next = offset - this.first; next < this.entries.length && size < bytes; next++) {
      const entry = this.entries[next];
      if (!entry) break;
      entries.push(entry);
      size += entry.bytes.length;
    }
    return { entries, next: offset + entries.length };
  }

  /** Over a limit, evicts the oldest entries down to three quarters of it. */
  private evict(): void {
    if (this.entries.length <= this.limits.messages && this.bytes <= this.limits.bytes) return;
    let count = 0;
    while (
      count < this.entries.length &&
      (this.entries.length - count > this.limits.messages * 0.75 || this.bytes > this.limits.bytes * 0.75)
    )
      this.bytes -= this.entries[count++]?.size ?? 0;
    this.entries = this.entries.slice(count);
    this.first += count;
    for (const [id, offset] of this.offsets)
      if (offset < this.first) {
        this.offsets.delete(id);
        this.removed.delete(id);
      }
  }
}
