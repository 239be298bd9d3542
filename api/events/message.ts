import type { Hex } from "viem";
import { contractNames } from "../../config/contracts";
import { z } from "../core/operation";
import { hashText, timeText, uintText } from "../core/outputs";
import { blockOf, type Cursor, cursorOf, logIndexOf } from "./cursor";
import { describeEvent } from "./describe-event";
import type { EventFacts } from "./facts";
import { type FilterFields, subjectsOf } from "./filter";
import { type EventName, eventNames } from "./protocol-events";

const cursorText = z
  .string()
  .regex(/^\d{12}-\d{6}-[0-9a-f]{16}$/)
  .openapi({
    description: "Block number, log index and block hash prefix of the event.",
    example: "000000000042-000003-1f1f1f1f1f1f1f1f",
  });

/** The decoded arguments of an event, as the event log stores them. */
export const EventArguments = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));

const identityFields = {
  id: cursorText,
  event: z.enum(eventNames).openapi({ example: "IntentSubmitted" }),
  contract: z.enum(contractNames).openapi({ example: "IntentBook" }),
  block_number: uintText,
  block_hash: hashText,
  log_index: z.int().min(0).openapi({ example: 3 }),
};

/** The data of each message type. Over SSE, `event` is the default message type; the others are control messages. */
export const messageTypes = {
  ready: z.strictObject({ id: cursorText, finalized_block_number: uintText }).openapi("StreamReady", {
    description: "`ready`, the first message: the position at which the stream starts, and the finalized block.",
  }),
  event: z
    .strictObject({
      ...identityFields,
      timestamp: timeText,
      tx_hash: hashText,
      args: EventArguments.openapi({ example: { intentId: "1" } }),
      summary: z.string().openapi({ example: "Intent #1 cancelled by its owner" }),
      finality: z
        .enum(["pending", "finalized"])
        .openapi({ description: "At the time of the response. A reorg can remove a pending event." }),
    })
    .openapi("StreamedEvent", {
      description: "A protocol event. It has SSE's default message type, which `onmessage` receives.",
    }),
  removed: z
    .strictObject(identityFields)
    .openapi("StreamRemoved", { description: "`removed`: a reorg removed this event from the chain." }),
  finalized: z
    .strictObject({ block_number: uintText })
    .openapi("StreamFinalized", { description: "`finalized`: events up to this block can't be removed any more." }),
};

type MessageType = keyof typeof messageTypes;

/** A message to a subscriber. `id` is the cursor to resume after it; null if the message does not move the cursor. */
export type EventMessage = {
  [Type in MessageType]: { type: Type; id: string | null; data: z.output<(typeof messageTypes)[Type]> };
}[MessageType];

/** The parts of an event that was sent which its removal needs. */
export type SentEvent = FilterFields & { cursor: Cursor; blockHash: Hex };

/** A row of the event log. */
export type EventRow = {
  id: string;
  blockHash: Hex;
  blockTimestamp: bigint;
  txHash: Hex;
  contract: string;
  name: string;
  args: string;
  /** For its summary. */
  facts?: EventFacts;
};

const DATA = "data: ";

/** Encodes a message as a server-sent event. A protocol event has no `event` field: the default type. */
function encode({ type, id, data }: EventMessage): Buffer {
  const fields = [
    ...(id === null ? [] : [`id: ${id}`]),
    ...(type === "event" ? [] : [`event: ${type}`]),
    `${DATA}${JSON.stringify(data)}`,
  ];
  return Buffer.from(`${fields.join("\n")}\n\n`);
}

/** An estimate of the memory of an entry besides its bytes. */
const OVERHEAD_BYTES = 700;

/**
 * A message, encoded. The decoded message is not kept, because it takes several times as much memory. `fields` decide which
 * filters it matches; null is for every subscriber.
 */
export class Entry<Fields extends FilterFields | null = FilterFields | null> {
  readonly type: MessageType;
  readonly id: string | null;
  readonly bytes: Buffer;

  constructor(
    message: EventMessage,
    readonly fields: Fields,
  ) {
    this.type = message.type;
    this.id = message.id;
    this.bytes = encode(message);
  }

  /** The message, decoded. */
  get message(): EventMessage {
    const { type, id, bytes } = this;
    return { type, id, data: JSON.parse(bytes.toString("utf8", bytes.indexOf(DATA) + DATA.length)) };
  }

  /** An estimate of its memory. */
  get size(): number {
    return this.bytes.length + OVERHEAD_BYTES;
  }
}

/** Whether a reorg can remove the events of a block. */
export const finalityOf = (block: bigint, finalizedBlock: bigint) =>
  block <= finalizedBlock ? ("finalized" as const) : ("pending" as const);

/** Creates messages, each encoded once for all subscribers. With `check`, validates them against their schemas. */
export function messageMaker(check: boolean) {
  const entry = <Fields extends FilterFields | null>(message: EventMessage, fields: Fields): Entry<Fields> => {
    if (check) messageTypes[message.type].parse(message.data);
    return new Entry(message, fields);
  };
  const identity = ({ cursor, event, contract, block, blockHash }: SentEvent) => ({
    id: cursor.id,
    event: event as EventName,
    contract: contract as (typeof contractNames)[number],
    block_number: String(block),
    block_hash: blockHash,
    log_index: logIndexOf(cursor),
  });
  return {
    ready: ({ id }: Cursor, finalizedBlock: bigint) =>
      entry({ type: "ready", id, data: { id, finalized_block_number: String(finalizedBlock) } }, null),
    /** An event of the log, finalized if its block is not after `finalizedBlock`. */
    event(row: EventRow, finalizedBlock: bigint): Entry<SentEvent> {
      const args = EventArguments.parse(JSON.parse(row.args));
      const cursor = cursorOf(row.id, row.blockHash);
      const block = blockOf(cursor);
      const sent: SentEvent = {
        cursor,
        blockHash: row.blockHash,
        event: row.name,
        contract: row.contract,
        block,
        subjects: subjectsOf(row.name, args),
      };
      const data = {
        ...identity(sent),
        timestamp: String(row.blockTimestamp),
        tx_hash: row.txHash,
        args,
        summary: describeEvent(row.name, args, row.facts),
        finality: finalityOf(block, finalizedBlock),
      };
      return entry({ type: "event", id: cursor.id, data }, sent);
    },
    /** The removal of an event. It moves the cursor back to `previous`, the event before it. */
    removed: (sent: SentEvent, previous: Cursor) =>
      entry({ type: "removed", id: previous.id, data: identity(sent) }, sent),
    finalized: (block: bigint) => entry({ type: "finalized", id: null, data: { block_number: String(block) } }, null),
  };
}

export type Messages = ReturnType<typeof messageMaker>;
