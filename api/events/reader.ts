import type { Hex } from "viem";
import { compareBlocks, type EventBlock } from "./compare";
import type { EventLog, Snapshot } from "./event-log";
import type { EventRecord, EventRecords } from "./event-records";
import { Journal, type JournalLimits } from "./journal";
import type { Entry, Messages, SentEvent } from "./message";
import { endOfBlock, type Position } from "./position";
import { Signal } from "./signal";

/** The hash of the chain's block of a number; null when the chain has none. */
export type BlockHashes = (block: bigint) => Promise<Hex | null>;

/** What reading the log needs, and whom it tells of what goes wrong. */
export type ReaderParts = {
  log: EventLog;
  records: EventRecords;
  blockHash: BlockHashes;
  messages: Messages;
  limits: JournalLimits;
  /** How often the log is looked at. */
  pollMs: number;
  onError: (error: unknown) => void;
};

/** How many rows are read at once. */
const PAGE = 500;

/** How long to wait after a failure, and before the chain is asked the same thing again. */
const RETRY_MS = 1_000;

/** How often old records are swept out. */
const SWEEP_MS = 60 * 60 * 1_000;

/** What has been put into the journal so far. */
type State = {
  journal: Journal;
  safeBlock: bigint;
  /** The last event that is safe. */
  base: Position;
  /** The events after it, in their order, by the ids of their positions: those that may be taken back. */
  window: Map<string, SentEvent>;
  last: Position;
  /** Whether everything that the log held has been read. */
  caughtUp: boolean;
};

/** The blocks of events that are in their order. */
function blocksOf(window: Iterable<SentEvent>): EventBlock[] {
  const blocks = new Map<string, EventBlock>();
  for (const { position, blockHash } of window) {
    const number = position.eventId.slice(0, 12);
    blocks.set(number, { number, hash: blockHash });
  }
  return [...blocks.values()];
}

/**
 * Follows the log of events for all listeners of a process. It writes what happens into one journal: events in the order of
 * the chain, and, when the log turns out to hold other blocks than those whose events were written, first the removal of
 * these, newest first. Every event that may yet be removed is kept in the records before it is written.
 */
export class EventReader {
  /** Happens whenever there is news. */
  readonly changed = new Signal();
  private state: State | undefined;
  private failure: unknown;
  private running: AbortController | undefined;
  private readonly pause = new Signal();
  private sweptAt = 0;
  private askedChainAt = 0;

  constructor(private readonly parts: ReaderParts) {}

  /** What there is for listeners, once all that the log held at the beginning has been read. */
  get current(): Readonly<State> | undefined {
    return this.state?.caughtUp ? this.state : undefined;
  }

  /** Throws why there is nothing yet, if that is known. */
  refuseIfFailing(): void {
    if (this.failure !== undefined) throw this.failure;
  }

  /** Whether a position is on the branch that the journal is on, among the events that may be taken back. */
  holds({ id }: Position): boolean {
    return this.state !== undefined && (this.state.base.id === id || this.state.window.has(id));
  }

  /**
   * The place in the journal of a listener at this position, if it has one. Events that have become safe are read from the log
   * again and not taken from there, where they are said to be pending.
   */
  placeAfter(position: Position): number | undefined {
    const { journal } = this.current ?? {};
    return journal?.hasRemoved(position.id) || this.holds(position) ? journal?.placeAfter(position.id) : undefined;
  }

  /** Begins to follow the log, unless it does already. */
  start(): void {
    if (this.running) return;
    this.running = new AbortController();
    void this.run(this.running.signal);
  }

  /** Stops, and forgets everything: whoever listens next may come much later. */
  stop(): void {
    this.running?.abort();
    this.running = undefined;
    this.state = undefined;
    this.failure = undefined;
  }

  private async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      let pauseMs = this.parts.pollMs;
      try {
        if (await this.step(signal)) pauseMs = 0;
        this.failure = undefined;
      } catch (error) {
        if (signal.aborted) return;
        if (this.failure === undefined) this.parts.onError(error);
        this.failure = error;
        this.changed.happen();
        pauseMs = RETRY_MS;
      }
      await this.pause.next(signal, pauseMs);
    }
  }

  /** Reads what is new, if anything is; says whether there is more to read at once. */
  private async step(signal: AbortSignal): Promise<boolean> {
    const { log } = this.parts;
    const { ready, safeBlock, last } = await log.glance();
    // While the index is made or gone back, what it lacks means nothing.
    if (!ready || signal.aborted) return false;
    if (!this.state) {
      const base = await log.lastUpTo(endOfBlock(safeBlock));
      if (!signal.aborted) this.state = this.beginning(base, safeBlock);
      return true;
    }
    // A block's hash determines everything before it: where the last event is the same, all are.
    if (this.state.caughtUp && last.id === this.state.last.id && safeBlock === this.state.safeBlock) return false;
    const { base, last: sent } = this.state;
    const snapshot = await log.snapshot(base.eventId, sent.eventId, PAGE);
    if (!snapshot.ready || signal.aborted) return false;
    return this.take(this.state, snapshot, signal);
  }

  private beginning(base: Position, safeBlock: bigint): State {
    const journal = new Journal(base.id, this.parts.limits);
    return { journal, safeBlock, base, window: new Map(), last: base, caughtUp: false };
  }

  /** Writes what a snapshot has that was not sent, or takes back what it lacks. */
  private async take(state: State, snapshot: Snapshot, signal: AbortSignal): Promise<boolean> {
    const sent = [...state.window.values()];
    const blocks = blocksOf(sent);
    const { kept, verdict } = compareBlocks(blocks, snapshot.blocks, snapshot.rows.length > 0);
    const firstGone = blocks[kept];
    if (verdict !== "same" && firstGone) {
      if (verdict === "missing" && !(await this.isReplaced(firstGone))) return false;
      if (signal.aborted) return false;
      this.remove(
        state,
        sent.filter(({ position }) => position.eventId.slice(0, 12) >= firstGone.number),
      );
      return true;
    }
    const entries = snapshot.rows.map((row) => this.parts.messages.event(row, snapshot.safeBlock));
    await this.parts.records.save(recordsOf(state.last, entries, snapshot.safeBlock));
    if (signal.aborted) return false;
    this.add(state, entries);
    this.settle(state, snapshot.safeBlock);
    const more = snapshot.rows.length === PAGE;
    const news = entries.length > 0 || (!more && !state.caughtUp);
    if (!more) state.caughtUp = true;
    if (news) this.changed.happen();
    await this.sweep(state);
    return more;
  }

  /**
   * Whether the chain has another block where one with events was that the log lacks now. Where it has the same, the index
   * has gone back, as it does when it starts again, and where it has none, it will have one.
   */
  private async isReplaced({ number, hash }: EventBlock): Promise<boolean> {
    if (Date.now() - this.askedChainAt < RETRY_MS) return false;
    this.askedChainAt = Date.now();
    const present = await this.parts.blockHash(BigInt(number));
    return present !== null && present !== hash;
  }

  private remove(state: State, gone: readonly SentEvent[]): void {
    const kept = [...state.window.values()].slice(0, state.window.size - gone.length);
    const positions = [state.base, ...kept.map(({ position }) => position), ...gone.map(({ position }) => position)];
    const entries: Entry[] = [];
    for (let place = gone.length - 1; place >= 0; place--) {
      const event = gone[place];
      const before = positions[kept.length + place];
      if (event && before) entries.push(this.parts.messages.removed(event, before));
    }
    state.window = new Map(kept.map((event) => [event.position.id, event]));
    state.last = positions[kept.length] ?? state.base;
    state.journal.append(entries);
    this.changed.happen();
  }

  private add(state: State, entries: readonly (Entry & { sent: SentEvent })[]): void {
    for (const { sent } of entries) state.window.set(sent.position.id, sent);
    state.last = entries.at(-1)?.sent.position ?? state.last;
    state.journal.append(entries);
  }

  /** Lets go of events that have become safe, and says that they have. */
  private settle(state: State, safeBlock: bigint): void {
    for (const [id, { block, position }] of state.window) {
      if (block > safeBlock) break;
      state.window.delete(id);
      state.base = position;
    }
    if (safeBlock <= state.safeBlock) return;
    state.safeBlock = safeBlock;
    state.journal.append([this.parts.messages.safe(safeBlock)]);
    this.changed.happen();
  }

  private async sweep({ safeBlock }: State): Promise<void> {
    if (Date.now() - this.sweptAt < SWEEP_MS) return;
    this.sweptAt = Date.now();
    await this.parts.records.sweep(endOfBlock(safeBlock));
  }
}

/** The records of those events that may be taken back, each with the position before it. */
function recordsOf(last: Position, entries: readonly { sent: SentEvent }[], safeBlock: bigint): EventRecord[] {
  let previous = last;
  return entries.flatMap(({ sent }) => {
    const record = { sent, previous };
    previous = sent.position;
    return sent.block > safeBlock ? [record] : [];
  });
}
