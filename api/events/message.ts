import type { Hex } from "viem";
import { contractNames } from "../../config/contracts";
import { z } from "../core/operation";
import { hashText, timeText, uintText } from "../core/outputs";
import { describeEvent } from "./describe-event";
import { blockOf, logIndexOf, type Position, positionOf } from "./position";
import { eventNames, type Followed, subjectsOf } from "./subjects";

const positionText = z
  .string()
  .regex(/^\d{12}-\d{6}-[0-9a-f]{16}$/)
  .openapi({
    description: "Names an event on its branch of the chain.",
    example: "000000000042-000003-1f1f1f1f1f1f1f1f",
  });

/** The arguments of an event as the log keeps them. */
export const EventArguments = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));

const ofEvent = {
  id: positionText,
  event: z.enum(eventNames).openapi({ example: "IntentSubmitted" }),
  contract: z.enum(contractNames).openapi({ example: "IntentBook" }),
  block_number: uintText,
  block_hash: hashText,
  log_index: z.int().min(0).openapi({ example: 3 }),
};

/** What each kind of message says. */
export const messageSchemas = {
  open: z
    .strictObject({ id: positionText, safe_block_number: uintText })
    .openapi("StreamOpened", { description: "`open`: the stream begins after this position." }),
  event: z
    .strictObject({
      ...ofEvent,
      timestamp: timeText,
      tx_hash: hashText,
      args: EventArguments.openapi({ example: { intentId: "1" } }),
      summary: z.string().openapi({ example: "Intent #1 cancelled by its owner" }),
      finality: z.enum(["safe", "pending"]).openapi({ description: "As it was when the event was sent." }),
    })
    .openapi("StreamedEvent", { description: "`event`: an event of the protocol." }),
  removed: z
    .strictObject(ofEvent)
    .openapi("StreamedRemoval", { description: "`removed`: this event is not on the chain any more." }),
  safe: z
    .strictObject({ block_number: uintText })
    .openapi("StreamedSafety", { description: "`safe`: events up to this block can't be removed any more." }),
};

type Kind = keyof typeof messageSchemas;

/**
 * What listeners are sent, whatever way they listen. `id` is where a listener stands once it has the message: given back, it
 * resumes right after. A message that moves nothing has none.
 */
export type EventMessage = {
  [Name in Kind]: { type: Name; id: string | null; data: z.output<(typeof messageSchemas)[Name]> };
}[Kind];

/** A message, with what decides who gets it; null is everyone. */
export type Entry = { message: EventMessage; about: Followed | null; bytes: Uint8Array };

/** As much of an event as is needed to take it back. */
export type SentEvent = Followed & { position: Position; blockHash: Hex };

/** A row of the event log. */
export type EventRow = {
  id: string;
  blockHash: Hex;
  blockTimestamp: bigint;
  txHash: Hex;
  contract: string;
  name: string;
  args: string;
};

/** A message as it goes over the wire to those who listen by Server-Sent Events. */
const encode = ({ type, id, data }: EventMessage): Uint8Array =>
  Buffer.from(`${id === null ? "" : `id: ${id}\n`}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`);

/** Makes messages, each encoded once however many listeners there are; `check` holds them against their schemas. */
export function messageMaker(check: boolean) {
  const entry = (message: EventMessage, about: Followed | null): Entry => {
    if (check) messageSchemas[message.type].parse(message.data);
    return { message, about, bytes: encode(message) };
  };
  const identity = ({ position, event, contract, block, blockHash }: SentEvent) => ({
    id: position.id,
    event,
    contract: contract as (typeof contractNames)[number],
    block_number: String(block),
    block_hash: blockHash,
    log_index: logIndexOf(position),
  });
  return {
    open: ({ id }: Position, safeBlock: bigint) =>
      entry({ type: "open", id, data: { id, safe_block_number: String(safeBlock) } }, null),
    /** An event of the log; it is safe up to `safeBlock`. */
    event(row: EventRow, safeBlock: bigint): Entry & { sent: SentEvent } {
      const args = EventArguments.parse(JSON.parse(row.args));
      const position = positionOf(row.id, row.blockHash);
      const block = blockOf(position);
      const sent: SentEvent = {
        position,
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
        summary: describeEvent(row.name, args),
        finality: block <= safeBlock ? ("safe" as const) : ("pending" as const),
      };
      return { ...entry({ type: "event", id: position.id, data }, sent), sent };
    },
    /** That an event is no more; `before` is the one before it, which is then the last. */
    removed: (sent: SentEvent, before: Position) =>
      entry({ type: "removed", id: before.id, data: identity(sent) }, sent),
    safe: (block: bigint) => entry({ type: "safe", id: null, data: { block_number: String(block) } }, null),
  };
}

export type Messages = ReturnType<typeof messageMaker>;
