import type { Entry } from "./message";

/** How much of what was sent is kept for those who have not taken it yet. */
export type JournalLimits = { messages: number; bytes: number };

/** Messages taken from a journal, and where to go on. */
type Taken = { entries: Entry[]; next: number };

/**
 * The last messages, in their order, once for all listeners: each has a place in it and nothing of its own. A listener that
 * is so slow that its place has been given up has lost the stream; so listeners cost no memory however slow they are.
 */
export class Journal {
  private entries: Entry[] = [];
  private bytes = 0;
  /** The place of the first entry that is kept. */
  private first = 0;
  /** Where a listener goes on that stands at a position, by the position's id. */
  private readonly places = new Map<string, number>();
  /** The positions of events that were removed again. */
  private readonly removed = new Set<string>();
  /** The place after the last removal. */
  private lastRemoval = 0;
  /** The place after the last message that said what is safe. */
  private lastSafe = 0;

  constructor(
    start: string,
    private readonly limits: JournalLimits,
  ) {
    this.places.set(start, 0);
  }

  /** The place after the last message. */
  get end(): number {
    return this.first + this.entries.length;
  }

  append(entries: readonly Entry[]): void {
    for (const entry of entries) {
      this.entries.push(entry);
      this.bytes += entry.bytes.length;
      const { id, type, data } = entry.message;
      if (id !== null) this.places.set(id, this.end);
      if (type === "event") this.removed.delete(id ?? "");
      if (type === "removed") {
        this.removed.add(data.id);
        this.lastRemoval = this.end;
      }
      if (type === "safe") this.lastSafe = this.end;
    }
    this.giveUp();
  }

  /**
   * Where a listener at this position goes on, if all that came after it is kept. A removed position is where the removals
   * begin that take the listener back, unless something has become safe since: what came after them may be said to be pending
   * and be safe. From any other there must be no removals, as nobody is to be sent what is gone already.
   */
  placeAfter(id: string): number | undefined {
    const place = this.places.get(id);
    if (place === undefined) return undefined;
    return place >= (this.removed.has(id) ? this.lastSafe : this.lastRemoval) ? place : undefined;
  }

  /** Whether the last message that said what is safe comes after this place. */
  saysSafeAfter(place: number): boolean {
    return place < this.lastSafe;
  }

  /** Whether the event at this position was removed. */
  hasRemoved(id: string): boolean {
    return this.removed.has(id);
  }

  /** The messages from a place on, up to about `bytes` of them; undefined when the place has been given up. */
  take(place: number, bytes: number): Taken | undefined {
    if (place < this.first) return undefined;
    const entries: Entry[] = [];
    let size = 0;
    for (let next = place - this.first; next < this.entries.length && size < bytes; next++) {
      const entry = this.entries[next];
      if (!entry) break;
      entries.push(entry);
      size += entry.bytes.length;
    }
    return { entries, next: place + entries.length };
  }

  /** Gives up the oldest messages, several at once, until the rest is within the limits. */
  private giveUp(): void {
    if (this.entries.length <= this.limits.messages && this.bytes <= this.limits.bytes) return;
    let gone = 0;
    while (
      gone < this.entries.length &&
      (this.entries.length - gone > this.limits.messages * 0.75 || this.bytes > this.limits.bytes * 0.75)
    )
      this.bytes -= this.entries[gone++]?.bytes.length ?? 0;
    this.entries = this.entries.slice(gone);
    this.first += gone;
    for (const [id, place] of this.places)
      if (place < this.first) {
        this.places.delete(id);
        this.removed.delete(id);
      }
  }
}
