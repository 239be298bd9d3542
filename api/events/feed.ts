import { steadyTime } from "../../config/steady-time";
import { Gone, TooMany, Unavailable } from "../core/errors";
import { droppedStreams, eventMessages, eventStreams } from "../telemetry/metrics";
import { blockOf, type Cursor, endOfBlock, isInBlock, START } from "./cursor";
import { candidateNames, type Filter, type FilterFields, matches } from "./filter";
import { History } from "./history";
import type { Entry } from "./message";
import { eventNames } from "./protocol-events";
import { EventReader, type ReaderOptions } from "./reader";
import { Turns } from "./turns";

export type FeedOptions = ReaderOptions & {
  maxSubscribers: number;
  maxSubscribersPerClient: number;
};

/** Where a subscriber starts, and which events it receives. */
export type EventSelection = {
  /** Starts after this cursor. Without one, starts at the filter's first block, or else with new events. */
  after?: Cursor;
  filter: Filter;
};

/** Batches of messages, until the signal or the feed ends the stream, or the subscriber is dropped. */
export type EventStream = AsyncGenerator<readonly Entry[], void>;

/** A step of catching up: the entries to send, and the cursor after them. `isFinal` if a reorg can't remove the cursor. */
type Step = { entries: readonly Entry[]; cursor: Cursor; isFinal?: boolean };

/** Whether the log has the event of a cursor. If not: the removals of orphaned events, and the cursor after them. */
type BranchStatus = { isPresent: boolean; removals: Entry[]; cursor: Cursor };

/** How many removals are sent at a time. */
const REMOVALS = 200;

/** The `retry-after` of a client with too many streams. */
const RETRY_AFTER_SECONDS = 5;

const BATCH_BYTES = 64 * 1024;

/** How long a new subscriber waits for the reader before it is accepted without checking its cursor. */
const ACCEPT_MS = 3_000;

/** The delay before a step that made no progress is repeated. */
const RETRY_MS = 1_000;

/** How long the reader runs without subscribers, as disconnected ones reconnect. */
const IDLE_MS = 30_000;

const UNKNOWN_ID =
  "Unknown or expired event id. Start at a block (from_block), or without an id to receive new events only";

const STOPPING = "The service is stopping. Reconnect with the last event id";

/** The subscriber is behind by more messages than the journal keeps. */
export class SlowSubscriber extends Unavailable {
  override name = "SlowSubscriber";

  constructor() {
    super("The subscriber is too slow and was dropped. Reconnect with the last event id");
  }
}

/** The selected entries: the same array if all are, so that subscribers share it. */
const select = <Of extends Entry>(entries: readonly Of[], isSelected: (entry: Of) => boolean): readonly Entry[] =>
  entries.every(isSelected) ? entries : entries.filter(isSelected);

/** The entries that match the filter. */
const matching = (filter: Filter, entries: readonly Entry<FilterFields>[]): readonly Entry[] =>
  select(entries, ({ fields }) => matches(filter, fields));

/** The live events. Subscribers share one reader and one journal. They take turns to send a batch. */
export class EventFeed {
  private readonly reader: EventReader;
  private readonly subscribersByClient = new Map<string, number>();
  private readonly history: History;
  private readonly turns = new Turns();
  private readonly lookups = new Map<string, Promise<BranchStatus>>();
  private readonly streams = new Set<AbortController>();
  private closed = false;
  private idleTimer: NodeJS.Timeout | undefined;

  constructor(private readonly options: FeedOptions) {
    this.reader = new EventReader(options);
    this.history = new History(options);
  }

  /**
   * Accepts a subscriber, or throws the reason why not. The stream starts with a `ready` message. A subscriber that resumes
   * after the id of its last message misses no event and receives none twice.
   */
  async subscribe({ after, filter }: EventSelection, client: string, signal: AbortSignal): Promise<EventStream> {
    const stream = this.register(client);
    signal.addEventListener("abort", () => stream.abort(), { once: true });
    if (signal.aborted) stream.abort();
    try {
      this.reader.start();
      await this.waitForReader(stream.signal);
      if (after && this.reader.current) await this.requireKnown(after);
    } catch (error) {
      stream.abort();
      throw error;
    }
    return this.counted(this.stream(after, filter, stream));
  }

  private async *counted(stream: EventStream): EventStream {
    for await (const entries of stream) {
      eventMessages.inc(entries.length);
      yield entries;
    }
  }

  /** Ends all streams. Their subscribers should reconnect. */
  close(): void {
    this.closed = true;
    for (const stream of this.streams) stream.abort();
    clearTimeout(this.idleTimer);
    this.reader.stop();
  }

  /** Counts a subscriber until its stream is aborted. Every stream ends by abort. */
  private register(client: string): AbortController {
    if (this.closed) throw new Unavailable(STOPPING);
    const ofClient = this.subscribersByClient.get(client) ?? 0;
    const { maxSubscribers, maxSubscribersPerClient } = this.options;
    if (ofClient >= maxSubscribersPerClient)
      throw new TooMany(
        `A client may have at most ${maxSubscribersPerClient} open event streams. Close one first`,
        RETRY_AFTER_SECONDS,
        maxSubscribersPerClient,
      );
    if (this.streams.size >= maxSubscribers)
      throw new Unavailable("The service has too many open event streams; try again shortly");
    const stream = new AbortController();
    stream.signal.addEventListener("abort", () => this.unregister(client, stream), { once: true });
    this.streams.add(stream);
    eventStreams.inc();
    this.subscribersByClient.set(client, ofClient + 1);
    clearTimeout(this.idleTimer);
    return stream;
  }

  private unregister(client: string, stream: AbortController): void {
    this.streams.delete(stream);
    eventStreams.dec();
    const left = (this.subscribersByClient.get(client) ?? 1) - 1;
    if (left > 0) this.subscribersByClient.set(client, left);
    else this.subscribersByClient.delete(client);
    if (this.streams.size > 0 || this.closed) return;
    this.idleTimer = setTimeout(() => this.reader.stop(), IDLE_MS);
    this.idleTimer.unref();
  }

  /** Waits until the reader has caught up, with a limit: during a backfill that takes as long as the backfill. */
  private async waitForReader(signal: AbortSignal): Promise<void> {
    const deadline = steadyTime() + ACCEPT_MS;
    while (!this.reader.current && steadyTime() < deadline && !signal.aborted) {
      this.reader.throwIfFailing();
      await this.reader.changed.wait(signal, deadline - steadyTime());
    }
  }

  private async requireKnown(cursor: Cursor): Promise<void> {
    if (this.reader.offsetAfter(cursor) !== undefined) return;
    if (await this.options.log.has(cursor)) return;
    if ((await this.options.records.branchOf(cursor, 1)).length > 0) return;
    if (!(await this.isAhead(cursor))) throw new Gone(UNKNOWN_ID);
  }

  /** Whether the chain has the cursor's block and the log ends before it: the indexer has rolled back. */
  private async isAhead(cursor: Cursor): Promise<boolean> {
    const { last } = await this.options.log.status();
    return last.eventId < cursor.eventId && isInBlock(cursor, (await this.options.getBlockHash(blockOf(cursor))) ?? "");
  }

  private async *stream(after: Cursor | undefined, filter: Filter, stream: AbortController): EventStream {
    const { signal } = stream;
    try {
      while (!this.reader.current && !signal.aborted) await this.reader.changed.wait(signal);
      const { current } = this.reader;
      if (!current || signal.aborted) return;
      const cursor = after ?? (await this.startCursor(current, filter));
      const { finalizedBlock } = current;
      yield [this.options.messages.ready(cursor, finalizedBlock)];
      const offset = yield* this.catchUp(cursor, filter, signal);
      if (offset === undefined && this.closed) throw new Unavailable(STOPPING);
      if (offset === undefined) return;
      yield* this.missedFinalized(offset, finalizedBlock);
      yield* this.followJournal(offset, finalizedBlock, filter, signal);
      if (this.closed) throw new Unavailable(STOPPING);
    } finally {
      stream.abort();
    }
  }

  /** Sends the entries between a cursor and the journal; returns the journal offset to continue at. */
  private async *catchUp(
    start: Cursor,
    filter: Filter,
    signal: AbortSignal,
  ): AsyncGenerator<readonly Entry[], number | undefined> {
    let at: Step = { entries: [], cursor: start };
    while (!signal.aborted) {
      const offset = this.reader.offsetAfter(at.cursor);
      if (offset !== undefined) return offset;
      const step = await this.nextStep(at, filter);
      await this.turns.take(signal);
      if (step.entries.length > 0 && !signal.aborted) yield step.entries;
      if (step.cursor.id === at.cursor.id) await this.reader.changed.wait(signal, RETRY_MS);
      at = step;
    }
    return undefined;
  }

  /** The finalized block, if it has moved since `ready` and the journal's message about it is before the offset. */
  private *missedFinalized(offset: number, sinceBlock: bigint): Generator<readonly Entry[], void> {
    const { current } = this.reader;
    if (!current || current.finalizedBlock <= sinceBlock || current.journal.hasFinalizedAfter(offset)) return;
    yield [this.options.messages.finalized(current.finalizedBlock)];
  }

  /** Sends the journal from an offset on, except `finalized` messages that `ready` has covered. */
  private async *followJournal(start: number, readyBlock: bigint, filter: Filter, signal: AbortSignal): EventStream {
    const isNew = ({ message: { type, data } }: Entry) =>
      type !== "finalized" || BigInt(data.block_number) > readyBlock;
    let offset = start;
    while (!signal.aborted) {
      const batch = this.reader.current?.journal.read(offset, BATCH_BYTES);
      if (!batch) {
        droppedStreams.inc();
        throw new SlowSubscriber();
      }
      offset = batch.next;
      const selected = select(batch.entries, (entry) => (entry.fields ? matches(filter, entry.fields) : isNew(entry)));
      if (selected.length > 0) {
        await this.turns.take(signal);
        if (!signal.aborted) yield selected;
      } else if (batch.entries.length === 0) await this.reader.changed.wait(signal);
    }
  }

  /** Where a subscriber without a cursor starts: before the filter's first block, or else after the last event. */
  private async startCursor({ base, last }: { base: Cursor; last: Cursor }, { fromBlock }: Filter): Promise<Cursor> {
    if (fromBlock === undefined) return last;
    // Pending blocks may be replaced before they are read, so start at the last finalized event; the filter does the rest.
    if (fromBlock > blockOf(base)) return base;
    return fromBlock === 0n ? START : this.options.log.lastUpTo(endOfBlock(fromBlock - 1n));
  }

  /** Brings a subscriber nearer to the journal: forward through the log, or back from an orphaned branch. */
  private async nextStep({ cursor, isFinal = false }: Step, filter: Filter): Promise<Step> {
    const { current } = this.reader;
    if (!current) return { entries: [], cursor, isFinal };
    const status = isFinal ? undefined : await this.branchStatus(cursor);
    if (status && !status.isPresent)
      return {
        entries: status.removals.filter(({ fields }) => fields && matches(filter, fields)),
        cursor: status.cursor,
      };
    if (cursor.eventId >= current.base.eventId) return this.readPending(cursor, filter);
    return (await this.readFinalized(cursor, current.base, filter)) ?? { entries: [], cursor, isFinal };
  }

  /** Reads finalized events. The database returns only events that can match the filter. */
  private async readFinalized(cursor: Cursor, base: Cursor, filter: Filter): Promise<Step | undefined> {
    const names = candidateNames(filter);
    const page = await this.history.finalized(cursor, base, names.length < eventNames.length ? names : undefined);
    return page && { entries: matching(filter, page), cursor: page.at(-1)?.fields.cursor ?? base, isFinal: true };
  }

  /** Reads pending events, up to the first that is not on the journal's branch. */
  private async readPending(cursor: Cursor, filter: Filter): Promise<Step> {
    const rows = await this.history.rows(cursor, this.reader.current?.last ?? cursor);
    const { current } = this.reader;
    if (!rows || !current || !this.reader.holds(cursor)) return { entries: [], cursor };
    const entries = rows.map((row) => this.options.messages.event(row, current.finalizedBlock));
    const foreign = entries.findIndex(({ fields }) => !this.reader.holds(fields.cursor));
    const held = foreign === -1 ? entries : entries.slice(0, foreign);
    return { entries: matching(filter, held), cursor: held.at(-1)?.fields.cursor ?? cursor };
  }

  /** The branch status of a cursor, shared for a moment: after a restart many subscribers resume at the same one. */
  private branchStatus(cursor: Cursor): Promise<BranchStatus> {
    const shared = this.lookups.get(cursor.id);
    if (shared) return shared;
    const lookup = this.readBranchStatus(cursor);
    this.lookups.set(cursor.id, lookup);
    setTimeout(() => this.lookups.delete(cursor.id), RETRY_MS / 2).unref();
    return lookup;
  }

  /**
   * Finds the orphaned events of a cursor's branch. The chain decides: a missing row may also mean that the indexer rolled
   * back, and a block that the chain does not have yet leaves it open.
   */
  private async readBranchStatus(start: Cursor): Promise<BranchStatus> {
    const { log, records, getBlockHash, messages } = this.options;
    if (await log.has(start)) return { isPresent: true, removals: [], cursor: start };
    const branch = await records.branchOf(start, REMOVALS);
    if (branch.length === 0 && !(await this.isAhead(start))) throw new Gone(UNKNOWN_ID);
    const removals: Entry[] = [];
    const hashes = new Map<bigint, string | null>();
    let cursor = start;
    for (const { sent, previous } of branch) {
      if (!hashes.has(sent.block)) hashes.set(sent.block, await getBlockHash(sent.block));
      const present = hashes.get(sent.block) ?? null;
      if (present === null || isInBlock(sent.cursor, present)) break;
      removals.push(messages.removed(sent, previous));
      cursor = previous;
    }
    if (cursor.id !== start.id) await this.requireKnown(cursor);
    return { isPresent: false, removals, cursor };
  }
}
