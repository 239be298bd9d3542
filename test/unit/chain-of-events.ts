import type { EventLog } from "../../api/events/event-log";
import type { EventRecord, EventRecords } from "../../api/events/event-records";
import { type EventRow, messageMaker } from "../../api/events/message";
import { blockOf, endOfBlock, positionOf, START } from "../../api/events/position";
import type { ReaderParts } from "../../api/events/reader";
import { eventId } from "../../src/lib/event-id";

type Block = { hash: `0x${string}`; rows: EventRow[] };

/** A chain that can be told what happens, and the index of it, which may lag behind. Blocks are made of numbers of events. */
export class ChainOfEvents {
  private made = 0;
  /** From block 1 on. */
  blocks: Block[] = [];
  /** What the index holds of them. */
  indexed: Block[] = [];
  safeBlock = 0;
  ready = true;
  /** How often a reader has looked at the log. */
  glances = 0;

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

  /** Drops the newest blocks, but none that is safe. */
  drop(depth: number): void {
    this.blocks = this.blocks.slice(0, Math.max(this.safeBlock, this.blocks.length - depth));
  }

  /** Lets the index have the chain up to a number of blocks, from the last one they have in common. */
  index(upTo = this.blocks.length): void {
    const common = this.indexed.findIndex((block, place) => block !== this.blocks[place]);
    const kept = common === -1 ? this.indexed.length : common;
    this.indexed = this.blocks.slice(0, Math.max(kept, Math.min(upTo, this.blocks.length)));
  }

  /** Lets the index go back to what is safe, as when it starts again. */
  goBack(): void {
    this.indexed = this.indexed.slice(0, this.safeBlock);
  }

  /** Holds the blocks safe that are so deep in the index. */
  settle(depth: number): void {
    const agreed = this.indexed.filter((block, place) => block === this.blocks[place]).length;
    this.safeBlock = Math.max(this.safeBlock, agreed - depth);
  }

  /** The ids of all events of the chain, in their order. */
  ids = () => this.blocks.flatMap(({ rows }) => rows.map((row) => positionOf(row.id, row.blockHash).id));

  private rows = () => this.indexed.flatMap(({ rows }) => rows);

  /** The log as the reader asks for it. */
  log: EventLog = {
    glance: async () => {
      this.glances++;
      const last = this.rows().at(-1);
      return {
        ready: this.ready,
        safeBlock: BigInt(this.safeBlock),
        last: last ? positionOf(last.id, last.blockHash) : START,
      };
    },
    lastUpTo: async (place) => {
      const last = this.rows()
        .filter(({ id }) => id <= place)
        .at(-1);
      return last ? positionOf(last.id, last.blockHash) : START;
    },
    snapshot: async (after, upTo, limit) => {
      const sent = this.rows().filter(({ id }) => id > after && id <= upTo);
      const blocks = new Map(sent.map(({ id, blockHash }) => [id.slice(0, 12), blockHash]));
      return {
        ready: this.ready,
        safeBlock: BigInt(this.safeBlock),
        blocks: [...blocks].map(([number, hash]) => ({ number, hash })),
        rows: this.rows()
          .filter(({ id }) => id > upTo)
          .slice(0, limit),
      };
    },
    has: async (position) =>
      position.id === START.id || this.rows().some((row) => positionOf(row.id, row.blockHash).id === position.id),
    rows: async (after, upTo, limit, names) =>
      this.rows()
        .filter(({ id, name }) => id > after && id <= upTo && (!names || names.includes(name)))
        .slice(0, limit),
  };

  private readonly kept = new Map<string, EventRecord>();

  /** The store, which outlives every process. */
  records: EventRecords = {
    save: async (records) => {
      for (const record of records)
        if (!this.kept.has(record.sent.position.id)) this.kept.set(record.sent.position.id, record);
    },
    branchOf: async (position, limit) => {
      const branch: EventRecord[] = [];
      for (let record = this.kept.get(position.id); record && branch.length < limit; ) {
        branch.push(record);
        record = this.kept.get(record.previous.id);
      }
      return branch;
    },
    sweep: async (upTo) => {
      if (upTo < endOfBlock(0n)) throw new Error("Nothing is safe");
    },
  };

  /** What a reader of this chain needs. */
  parts(): ReaderParts & { maxListeners: number; maxListenersOfClient: number } {
    return {
      log: this.log,
      records: this.records,
      blockHash: async (block) => this.blocks[Number(block) - 1]?.hash ?? null,
      messages: messageMaker(true),
      limits: { messages: 1_000, bytes: 1_000_000 },
      pollMs: 1,
      onError: (error) => {
        throw error;
      },
      maxListeners: 100,
      maxListenersOfClient: 100,
    };
  }

  blockOfId = (id: string) => blockOf({ id, eventId: id.slice(0, 19) });
}
