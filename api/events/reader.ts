import type { Hex } from "viem";
import { steadyTime } from "../../config/steady-time";
import { outsideRequest } from "../telemetry/request-id";
import { compareBlocks, type EventBlock } from "./compare-blocks";
import { type Cursor, endOfBlock } from "./cursor";
import type { EventLog, Snapshot } from "./event-log";
import type { EventRecord, EventRecords } from "./event-records";
import { Journal, type JournalLimits } from "./journal";
import type { Entry, Messages, SentEvent } from "./message";
import { Signal } from "./signal";

/** The hash of a block by its number; null if the chain has no such block. */
export type GetBlockHash = (block: bigint) => Promise<Hex | null>;

export type ReaderOptions = {
  log: EventLog;
  records: EventRecords;
  getBlockHash: GetBlockHash;
  messages: Messages;
  limits: JournalLimits;
  /** The polling interval of the log. */
  pollMs: number;
  onError: (error: unknown) => void;
};

/** Rows per query. The log limits their bytes too. */
const PAGE = 500;

/** The delay after a failure, and between two requests for the hash of a missing block. */
const RETRY_MS = 1_000;

/** How often expired records are pruned. */
const PRUNE_MS = 60 * 60 * 1_000;

type State = {
  journal: Journal;
  finalizedBlock: bigint;
  /** The last finalized event. */
  base: Cursor;
  /** The pending events after it, in order, by the ids of their cursors. */
  pending: Map<string, SentEvent>;
  last: Cursor;
  /** Whether the reader has reached the end of the log once. */
  caughtUp: boolean;
};

/** The blocks of ordered events. */
function blocksOf(events: Iterable<SentEvent>): EventBlock[] {
  const blocks = new Map<string, EventBlock>();
  for (const { cursor, blockHash } of events) {
    const number = cursor.eventId.slice(0, 12);
    blocks.set(number, { number, hash: blockHash });
  }
  return [...blocks.values()];
}

/**
 * Follows the event log for all subscribers of a process, and appends to one journal: events in chain order and, after a
 * reorg, first the removals of orphaned events, newest first. Every pending event is recorded before it is appended.
 */
export class EventReader {
  /** Notified when the state has changed or reading has failed. */
  readonly changed = new Signal();
  private state: State | undefined;
  private failure: unknown;
  private running: AbortController | undefined;
  private readonly pause = new Signal();
  private prunedAt = 0;
  private hashRequestedAt = 0;

  constructor(private readonly options: ReaderOptions) {}

  /** The state, once the reader has caught up with the log. */
  get current(): Readonly<State> | undefined {
    return this.state?.caughtUp ? this.state : undefined;
  }

  /** Throws the last error of reading the log, unless reading has succeeded since. */
  throwIfFailing(): void {
    if (this.failure !== undefined) throw this.failure;
  }

  /** Whether the cursor is the last finalized event or a pending one, on the journal's branch. */
  holds({ id }: Cursor): boolean {
    return this.state !== undefined && (this.state.base.id === id || this.state.pending.has(id));
  }

  /**
   * The journal offset of a subscriber at this cursor, if there is one. Events that were finalized since are in the journal
   * as pending, so a subscriber before them reads the log instead.
   */
  offsetAfter(cursor: Cursor): number | undefined {
    const { journal } = this.current ?? {};
    return journal?.hasRemoved(cursor.id) || this.holds(cursor) ? journal?.offsetAfter(cursor.id) : undefined;
  }

  /** Starts following the log; no-op if started. */
  start(): void {
    if (this.running) return;
    const running = new AbortController();
    this.running = running;
    void outsideRequest(() => this.run(running.signal));
  }

  /** Stops, and resets the state: it may be outdated at the next start. */
  stop(): void {
    this.running?.abort();
    this.running = undefined;
    this.state = undefined;
    this.failure = undefined;
  }

  private async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      let pauseMs = this.options.pollMs;
      try {
        if (await this.poll(signal)) pauseMs = 0;
        this.failure = undefined;
      } catch (error) {
        if (signal.aborted) return;
        if (this.failure === undefined) this.options.onError(error);
        this.failure = error;
        this.changed.notify();
        pauseMs = RETRY_MS;
      }
      await this.pause.wait(signal, pauseMs);
    }
  }

  /** Reads new events; returns whether there are more to read now. */
  private async poll(signal: AbortSignal): Promise<boolean> {
    const { log } = this.options;
    const { ready, finalizedBlock, last } = await log.status();
    // During a backfill or rollback, missing rows don't mean a reorg.
    if (!ready || signal.aborted) return false;
    if (!this.state) {
      const base = await log.lastUpTo(endOfBlock(finalizedBlock));
      if (!signal.aborted) this.state = this.initialState(base, finalizedBlock);
      return true;
    }
    // A block's hash determines all blocks before it: if the last event is the same, all are.
    if (this.state.caughtUp && last.id === this.state.last.id && finalizedBlock === this.state.finalizedBlock)
      return false;
    const { base, last: sent } = this.state;
    const snapshot = await log.snapshot(base, sent, PAGE);
    if (!snapshot.ready || signal.aborted) return false;
    return this.apply(this.state, snapshot, signal);
  }

  private initialState(base: Cursor, finalizedBlock: bigint): State {
    const journal = new Journal(base.id, this.options.limits);
    return { journal, finalizedBlock, base, pending: new Map(), last: base, caughtUp: false };
  }

  /** Appends the new events of a snapshot, or the removals of orphaned ones; returns whether there are more to read. */
  private async apply(state: State, snapshot: Snapshot, signal: AbortSignal): Promise<boolean> {
    const sent = [...state.pending.values()];
    const blocks = blocksOf(sent);
    const { kept, verdict } = compareBlocks(blocks, snapshot.blocks, snapshot.rows.length > 0);
    const firstGone = blocks[kept];
    if (verdict !== "same" && firstGone) {
      if (verdict === "missing" && !(await this.isOrphaned(firstGone))) return false;
      if (signal.aborted) return false;
      this.remove(
        state,
        sent.filter(({ cursor }) => cursor.eventId.slice(0, 12) >= firstGone.number),
      );
      return true;
    }
    const entries = snapshot.rows.map((row) => this.options.messages.event(row, snapshot.finalizedBlock));
    await this.options.records.save(recordsOf(state.last, entries, snapshot.finalizedBlock));
    if (signal.aborted) return false;
    this.add(state, entries);
    this.finalize(state, snapshot.finalizedBlock);
    const { hasMore } = snapshot;
    const hasChanged = entries.length > 0 || (!hasMore && !state.caughtUp);
    if (!hasMore) state.caughtUp = true;
    if (hasChanged) this.changed.notify();
    await this.prune(state);
    return hasMore;
  }

  /**
   * Whether the chain has another block in place of one that the log lacks. If it has the same block, the indexer has rolled
   * back, as it does on every start. If it has none, it is too early to tell.
   */
  private async isOrphaned({ number, hash }: EventBlock): Promise<boolean> {
    if (steadyTime() - this.hashRequestedAt < RETRY_MS) return false;
    this.hashRequestedAt = steadyTime();
    const present = await this.options.getBlockHash(BigInt(number));
    return present !== null && present !== hash;
  }

  private remove(state: State, orphaned: readonly SentEvent[]): void {
    const kept = [...state.pending.values()].slice(0, state.pending.size - orphaned.length);
    const cursors = [state.base, ...kept.map(({ cursor }) => cursor), ...orphaned.map(({ cursor }) => cursor)];
    const entries: Entry[] = [];
    for (let index = orphaned.length - 1; index >= 0; index--) {
      const event = orphaned[index];
      const previous = cursors[kept.length + index];
      if (event && previous) entries.push(this.options.messages.removed(event, previous));
    }
    state.pending = new Map(kept.map((event) => [event.cursor.id, event]));
    state.last = cursors[kept.length] ?? state.base;
    state.journal.append(entries);
    this.changed.notify();
  }

  private add(state: State, entries: readonly Entry<SentEvent>[]): void {
    for (const { fields: sent } of entries) state.pending.set(sent.cursor.id, sent);
    state.last = entries.at(-1)?.fields.cursor ?? state.last;
    state.journal.append(entries);
  }

  /** Drops finalized events from the pending ones, and appends a `finalized` message if the block is new. */
  private finalize(state: State, finalizedBlock: bigint): void {
    for (const [id, { block, cursor }] of state.pending) {
      if (block > finalizedBlock) break;
      state.pending.delete(id);
      state.base = cursor;
    }
    if (finalizedBlock <= state.finalizedBlock) return;
    state.finalizedBlock = finalizedBlock;
    state.journal.append([this.options.messages.finalized(finalizedBlock)]);
    this.changed.notify();
  }

  private async prune({ finalizedBlock }: State): Promise<void> {
    if (steadyTime() - this.prunedAt < PRUNE_MS) return;
    this.prunedAt = steadyTime();
    await this.options.records.prune(endOfBlock(finalizedBlock));
  }
}

/** The records of the pending events among the entries, each with the cursor before it. */
function recordsOf(last: Cursor, entries: readonly Entry<SentEvent>[], finalizedBlock: bigint): EventRecord[] {
  let previous = last;
  return entries.flatMap(({ fields: sent }) => {
    const record = { sent, previous };
    previous = sent.cursor;
    return sent.block > finalizedBlock ? [record] : [];
  });
}
