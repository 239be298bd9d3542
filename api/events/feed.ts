import { Gone, TooMany, Unavailable } from "../core/errors";
import type { Entry, EventMessage } from "./message";
import { blockOf, endOfBlock, isOnBlock, type Position, START } from "./position";
import { EventReader, type ReaderParts } from "./reader";
import { Signal } from "./signal";
import { candidateNames, eventNames, type Filter, matches } from "./subjects";

export type FeedParts = ReaderParts & {
  /** How many may listen at once, in all and of one client. */
  maxListeners: number;
  maxListenersOfClient: number;
};

/** What a listener asks for: where to begin, and what of it. */
export type Subscription = {
  /** After this position; unset, at the filter's first block, and without one with what happens from now on. */
  after?: Position;
  filter: Filter;
};

/** A stream that has been accepted: entries in batches, until its signal or the feed ends it, or it is dropped. */
export type EventStream = AsyncGenerator<readonly Entry[], void>;

/** How far a listener has come nearer to the journal, and what it is sent on the way. */
type Advance = { entries: Entry[]; reached: Position };

/** Whether the log has a position; if not, what of its branch was removed, and where that leaves a listener. */
type Fate = { isPresent: boolean; removals: Entry[]; reached: Position };

/** How many rows of history are read at once, and by how many listeners. */
const PAGE = 200;
const READING_AT_ONCE = 4;

/** When one who has too many streams may try again. */
const BUSY_SECONDS = 5;

/** How much a listener is given at once. */
const BATCH_BYTES = 64 * 1024;

/** How long an answer may wait until it is known whether the position is one. */
const SETTLE_MS = 3_000;

/** How long to wait for what only time can tell: an index that goes on, a chain that has a block. */
const AGAIN_MS = 1_000;

/** For how long the log is followed when nobody listens, as those who were cut off come back. */
const LINGER_MS = 30_000;

const UNKNOWN =
  "Nothing is known of this position any more: begin at a block (from_block), or without a position with what happens from now on";

const STOPPING = "The service is stopping. Connect again with the last id";

/** The listener could not keep up; what it has not had, it gets when it comes back with its last id. */
export class TooSlow extends Unavailable {
  override name = "TooSlow";

  constructor() {
    super("The listener is too slow: what it has not taken is not kept for it. Connect again with the last id");
  }
}

/** The live events, for however many listeners and whatever way they listen. */
export class EventFeed {
  private readonly reader: EventReader;
  private readonly listeners = new Map<string, number>();
  private reading = 0;
  private readonly doneReading = new Signal();
  private readonly fates = new Map<string, Promise<Fate>>();
  private readonly streams = new Set<AbortController>();
  private closed = false;
  private lingering: NodeJS.Timeout | undefined;

  constructor(private readonly parts: FeedParts) {
    this.reader = new EventReader(parts);
  }

  /**
   * Accepts a listener, or throws why not. The stream begins with an `open` message; a listener that gives back the id of the
   * last message it had misses nothing and gets nothing twice.
   */
  async subscribe({ after, filter }: Subscription, client: string, signal: AbortSignal): Promise<EventStream> {
    const stream = this.paidCaller(client);
    signal.addEventListener("abort", () => stream.abort(), { once: true });
    if (signal.aborted) stream.abort();
    try {
      this.reader.start();
      await this.settled(stream.signal);
      if (after && this.reader.current) await this.refuseUnknown(after);
    } catch (error) {
      stream.abort();
      throw error;
    }
    return this.follow(after, filter, stream);
  }

  /** The same, one message after the other. */
  async *messages(subscription: Subscription, client: string, signal: AbortSignal): AsyncGenerator<EventMessage, void> {
    for await (const entries of await this.subscribe(subscription, client, signal))
      for (const { message } of entries) yield message;
  }

  /** Ends all streams at once. Whoever listens is to connect again. */
  close(): void {
    this.closed = true;
    for (const stream of this.streams) stream.abort();
    clearTimeout(this.lingering);
    this.reader.stop();
  }

  /** Counts a listener until its stream is aborted, which is what ends it, whoever does. */
  private paidCaller(client: string): AbortController {
    if (this.closed) throw new Unavailable(STOPPING);
    const ofClient = this.listeners.get(client) ?? 0;
    const { maxListeners, maxListenersOfClient } = this.parts;
    if (ofClient >= maxListenersOfClient)
      throw new TooMany(
        `One client may have ${maxListenersOfClient} streams at once`,
        BUSY_SECONDS,
        maxListenersOfClient,
      );
    if (this.streams.size >= maxListeners) throw new Unavailable("Too many listen already; try again shortly");
    const stream = new AbortController();
    stream.signal.addEventListener("abort", () => this.leave(client, stream), { once: true });
    this.streams.add(stream);
    this.listeners.set(client, ofClient + 1);
    clearTimeout(this.lingering);
    return stream;
  }

  private leave(client: string, stream: AbortController): void {
    this.streams.delete(stream);
    const left = (this.listeners.get(client) ?? 1) - 1;
    if (left > 0) this.listeners.set(client, left);
    else this.listeners.delete(client);
    if (this.streams.size > 0 || this.closed) return;
    this.lingering = setTimeout(() => this.reader.stop(), LINGER_MS);
    this.lingering.unref();
  }

  /** Waits until the log has been read; not for long, as an index that is being made takes as long as it takes. */
  private async settled(signal: AbortSignal): Promise<void> {
    const deadline = Date.now() + SETTLE_MS;
    while (!this.reader.current && Date.now() < deadline && !signal.aborted) {
      this.reader.refuseIfFailing();
      await this.reader.changed.next(signal, deadline - Date.now());
    }
  }

  private async refuseUnknown(position: Position): Promise<void> {
    if (this.reader.placeAfter(position) !== undefined) return;
    if (await this.parts.log.has(position)) return;
    if ((await this.parts.records.branchOf(position, 1)).length === 0) throw new Gone(UNKNOWN);
  }

  private async *follow(after: Position | undefined, filter: Filter, stream: AbortController): EventStream {
    const { signal } = stream;
    try {
      while (!this.reader.current && !signal.aborted) await this.reader.changed.next(signal);
      const { current } = this.reader;
      if (!current || signal.aborted) return;
      const position = after ?? (await this.beginning(current, filter));
      const { safeBlock } = current;
      yield [this.parts.messages.open(position, safeBlock)];
      const place = yield* this.catchUp(position, filter, signal);
      if (place === undefined && this.closed) throw new Unavailable(STOPPING);
      if (place === undefined) return;
      yield* this.tellSkipped(place, safeBlock);
      yield* this.listen(place, safeBlock, filter, signal);
      if (this.closed) throw new Unavailable(STOPPING);
    } finally {
      stream.abort();
    }
  }

  /** Takes a listener from its position to the journal, and gives its place there. */
  private async *catchUp(
    from: Position,
    filter: Filter,
    signal: AbortSignal,
  ): AsyncGenerator<readonly Entry[], number | undefined> {
    let position = from;
    while (!signal.aborted) {
      const place = this.reader.placeAfter(position);
      if (place !== undefined) return place;
      const { entries, reached } = await this.advance(position, filter, signal);
      if (entries.length > 0) yield entries;
      if (reached.id === position.id) await this.reader.changed.next(signal, AGAIN_MS);
      position = reached;
    }
    return undefined;
  }

  /** Tells a listener what has become safe since its stream was opened, if the journal said so before its place there. */
  private *tellSkipped(place: number, opened: bigint): Generator<readonly Entry[], void> {
    const { current } = this.reader;
    if (!current || current.safeBlock <= opened || current.journal.saysSafeAfter(place)) return;
    yield [this.parts.messages.safe(current.safeBlock)];
  }

  /** Gives a listener what comes into the journal, less what its stream has said to be safe when it was opened. */
  private async *listen(from: number, opened: bigint, filter: Filter, signal: AbortSignal): EventStream {
    const isNews = ({ message: { type, data } }: Entry) => type !== "safe" || BigInt(data.block_number) > opened;
    let place = from;
    while (!signal.aborted) {
      const taken = this.reader.current?.journal.take(place, BATCH_BYTES);
      if (!taken) throw new TooSlow();
      place = taken.next;
      const wanted = taken.entries.filter((entry) => (entry.about ? matches(filter, entry.about) : isNews(entry)));
      if (wanted.length > 0) yield wanted;
      else if (taken.entries.length === 0) await this.reader.changed.next(signal);
    }
  }

  /** Where a listener begins that has no position: after all that is, or before its first block. */
  private async beginning(
    { base, last }: { base: Position; last: Position },
    { fromBlock }: Filter,
  ): Promise<Position> {
    if (fromBlock === undefined) return last;
    // Blocks after the safe ones may be replaced meanwhile, so the way to a later block begins at the last safe event.
    if (fromBlock > blockOf(base)) return base;
    return fromBlock === 0n ? START : this.parts.log.lastUpTo(endOfBlock(fromBlock - 1n));
  }

  /** Takes a listener nearer to the journal: over some history, or back to where its branch left the present one. */
  private async advance(position: Position, filter: Filter, signal: AbortSignal): Promise<Advance> {
    const { current } = this.reader;
    if (!current) return { entries: [], reached: position };
    const { isPresent, removals, reached } = await this.fateOf(position);
    if (!isPresent) return { entries: removals.filter(({ about }) => about && matches(filter, about)), reached };
    return position.eventId < current.base.eventId
      ? this.readSafe(position, current.base, filter, signal)
      : this.readPending(position, filter, signal);
  }

  /** Reads history that nothing can change, of which the database gives only what can match. */
  private async readSafe(position: Position, base: Position, filter: Filter, signal: AbortSignal): Promise<Advance> {
    const names = candidateNames(filter);
    const rows = await this.taking(signal, () =>
      this.parts.log.rows(position.eventId, base.eventId, PAGE, names.length < eventNames.length ? names : undefined),
    );
    if (signal.aborted) return { entries: [], reached: position };
    const entries = rows.map((row) => this.parts.messages.event(row, blockOf(base)));
    const reached = rows.length < PAGE ? base : (entries.at(-1)?.sent.position ?? base);
    return { entries: entries.filter(({ sent }) => matches(filter, sent)), reached };
  }

  /** Reads what may yet be taken back, as far as it is what the journal has said. */
  private async readPending(position: Position, filter: Filter, signal: AbortSignal): Promise<Advance> {
    const upTo = this.reader.current?.last ?? position;
    const rows = await this.taking(signal, () => this.parts.log.rows(position.eventId, upTo.eventId, PAGE));
    const { current } = this.reader;
    if (!current || !this.reader.holds(position)) return { entries: [], reached: position };
    const entries = rows.map((row) => this.parts.messages.event(row, current.safeBlock));
    const foreign = entries.findIndex(({ sent }) => !this.reader.holds(sent.position));
    const held = foreign === -1 ? entries : entries.slice(0, foreign);
    return {
      entries: held.filter(({ sent }) => matches(filter, sent)),
      reached: held.at(-1)?.sent.position ?? position,
    };
  }

  /** What has become of a position: asked once for all who stand there, as many do when the service has started again. */
  private fateOf(position: Position): Promise<Fate> {
    const known = this.fates.get(position.id);
    if (known) return known;
    const fate = this.readFate(position);
    this.fates.set(position.id, fate);
    const forget = () => this.fates.delete(position.id);
    setTimeout(forget, AGAIN_MS / 2).unref();
    return fate;
  }

  /**
   * Finds out which events a listener was sent of a branch that the chain has left. The chain itself says which these are: the
   * index may only have gone back, and where the chain has no block yet, it is not known.
   */
  private async readFate(position: Position): Promise<Fate> {
    const { log, records, blockHash, messages } = this.parts;
    if (await log.has(position)) return { isPresent: true, removals: [], reached: position };
    const branch = await records.branchOf(position, PAGE);
    if (branch.length === 0) throw new Gone(UNKNOWN);
    const removals: Entry[] = [];
    const hashes = new Map<bigint, string | null>();
    let reached = position;
    for (const { sent, previous } of branch) {
      if (!hashes.has(sent.block)) hashes.set(sent.block, await blockHash(sent.block));
      const present = hashes.get(sent.block) ?? null;
      if (present === null || isOnBlock(sent.position, present)) break;
      removals.push(messages.removed(sent, previous));
      reached = previous;
    }
    if (reached.id !== position.id) await this.refuseUnknown(reached);
    return { isPresent: false, removals, reached };
  }

  /** Lets a few listeners at a time read the database, so that many who catch up do not keep it from others. */
  private async taking<Value>(signal: AbortSignal, read: () => Promise<Value[]>): Promise<Value[]> {
    while (this.reading >= READING_AT_ONCE && !signal.aborted) await this.doneReading.next(signal);
    if (signal.aborted) return [];
    this.reading++;
    try {
      return await read();
    } finally {
      this.reading--;
      this.doneReading.happen();
    }
  }
}
