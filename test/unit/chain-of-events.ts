import { blockOf, cursorOf, endOfBlock, START } from "../../api/events/cursor";
import type { EventLog } from "../../api/events/event-log";
import type { EventRecord, EventRecords } from "../../api/events/event-records";
import type { EventFeed, EventSelection } from "../../api/events/feed";
import { type EventMessage, type EventRow, messageMaker } from "../../api/events/message";
import type { ReaderOptions } from "../../api/events/reader";
import { eventId } from "../../common/rows/event-id";

type Block = { hash: `0x${string}`; rows: EventRow[] };

/** The messages of a subscription, one by one. */
export async function* messagesOf(
  feed: EventFeed,
  selection: EventSelection,
  client: string,
  signal: AbortSignal,
): AsyncGenerator<EventMessage, void> {
  for await (const entries of await feed.subscribe(selection, client, signal))
    for (const { message } of entries) yield message;
}

/** A chain under the control of a test, and its index, which may lag behind. A block has a number of events. */
export class ChainOfEvents {
  private made = 0;
  /** From block 1 on. */
  blocks: Block[] = [];
  /** The indexed blocks. */
  indexed: Block[] = [];
  finalizedBlock = 0;
  ready = true;
  /** The number of polls of the log. */
  polls = 0;

  mine(events: number): void {
    const hash = `0x${(++this.made).toString(16).padStart(16, "0")}${"ab".repeat(24)}` as const;
    const number = BigInt(this.blocks.length + 1);
    const rows = Array.from({ length: events }, (_, log): EventRow => {
      const intentId = String((this.made + log) % 3);
      return {
        id: eventId(number, log),
        blockHash: hash,
        blockTimestamp: number,
        txHash: `0x${"cd".repeat(32)}`,
        contract: log % 2 === 0 ? "IntentBook" : "AgentRegistry",
        name: log % 2 === 0 ? "IntentCancelled" : "AgentRevoked",
        args: JSON.stringify(log % 2 === 0 ? { intentId } : { agentId: intentId }),
      };
    });
    this.blocks.push({ hash, rows });
  }

  /** Drops the newest blocks, but no finalized one. */
  drop(depth: number): void {
    this.blocks = this.blocks.slice(0, Math.max(this.finalizedBlock, this.blocks.length - depth));
  }

  /** Indexes the chain up to a number of blocks, after reverting orphaned ones. */
  index(upTo = this.blocks.length): void {
    const common = this.indexed.findIndex((block, place) => block !== this.blocks[place]);
    const kept = common === -1 ? this.indexed.length : common;
    this.indexed = this.blocks.slice(0, Math.max(kept, Math.min(upTo, this.blocks.length)));
  }

  /**
   * Rolls the index back to the finalized block, as Ponder does on a restart, or further if the database has lost the last
   * commits.
   */
  rollBack(lost = 0): void {
    this.indexed = this.indexed.slice(0, Math.max(0, this.finalizedBlock - lost));
  }

  /** Finalizes the indexed blocks from this depth on. */
  finalize(depth: number): void {
    const agreed = this.indexed.filter((block, place) => block === this.blocks[place]).length;
    this.finalizedBlock = Math.max(this.finalizedBlock, agreed - depth);
  }

  /** The ids of all events of the chain, in order. */
  ids = () => this.blocks.flatMap(({ rows }) => rows.map((row) => cursorOf(row.id, row.blockHash).id));

  private rows = () => this.indexed.flatMap(({ rows }) => rows);

  /** The event log of the index. */
  log: EventLog = {
    status: async () => {
      this.polls++;
      const last = this.rows().at(-1);
      return {
        ready: this.ready,
        finalizedBlock: BigInt(this.finalizedBlock),
        last: last ? cursorOf(last.id, last.blockHash) : START,
      };
    },
    lastUpTo: async (eventId) => {
      const last = this.rows()
        .filter(({ id }) => id <= eventId)
        .at(-1);
      return last ? cursorOf(last.id, last.blockHash) : START;
    },
    snapshot: async (after, upTo, limit) => {
      const sent = this.rows().filter(({ id }) => id > after.eventId && id <= upTo.eventId);
      const blocks = new Map(sent.map(({ id, blockHash }) => [id.slice(0, 12), blockHash]));
      const later = this.rows().filter(({ id }) => id > upTo.eventId);
      return {
        ready: this.ready,
        finalizedBlock: BigInt(this.finalizedBlock),
        blocks: [...blocks].map(([number, hash]) => ({ number, hash })),
        rows: later.slice(0, limit),
        hasMore: later.length > limit,
      };
    },
    has: async (cursor) =>
      cursor.id === START.id || this.rows().some((row) => cursorOf(row.id, row.blockHash).id === cursor.id),
    rows: async (after, upTo, limit, names) => {
      if (!(await this.log.has(upTo))) return undefined;
      return this.rows()
        .filter(({ id, name }) => id > after.eventId && id <= upTo.eventId && (!names || names.includes(name)))
        .slice(0, limit);
    },
  };

  private readonly kept = new Map<string, EventRecord>();

  /** The store, which persists across restarts. */
  records: EventRecords = {
    save: async (records) => {
      for (const record of records)
        if (!this.kept.has(record.sent.cursor.id)) this.kept.set(record.sent.cursor.id, record);
    },
    branchOf: async (cursor, limit) => {
      const branch: EventRecord[] = [];
      for (let record = this.kept.get(cursor.id); record && branch.length < limit; ) {
        branch.push(record);
        record = this.kept.get(record.previous.id);
      }
      return branch;
    },
    prune: async (upTo) => {
      if (upTo < endOfBlock(0n)) throw new Error("No block is finalized");
    },
  };

  /** The options of a feed of this chain. */
  options(): ReaderOptions & { maxSubscribers: number; maxSubscribersPerClient: number } {
    return {
      log: this.log,
      records: this.records,
      getBlockHash: async (block) => this.blocks[Number(block) - 1]?.hash ?? null,
      messages: messageMaker(true),
      limits: { messages: 1_000, bytes: 1_000_000 },
      pollMs: 1,
      onError: (error) => {
        throw error;
      },
      maxSubscribers: 100,
      maxSubscribersPerClient: 100,
    };
  }

  blockOfId = (id: string) => blockOf({ id, eventId: id.slice(0, 19) });
}
