import { type Hex, isHex } from "viem";
import { blockOfEvent, eventId } from "../../src/lib/event-id";

/** Of a block's hash as much as tells it from any other block that ever stood in its place. */
const BRANCH_DIGITS = 16;

const pattern = /^(\d{12}-\d{6})-([0-9a-f]{16})$/;

/**
 * A place in the log of events: an event, by its place on the chain, and the block that holds it, by the hash. A block's
 * hash determines all blocks before it, so a position says not only how far a listener has come but on which branch.
 */
export type Position = {
  /** Place and branch in one text: what clients are given as the id of an event. */
  id: string;
  /** The place alone, as the event log has it. */
  eventId: string;
};

/**
 * The position of an event.
 *
 * @example
 * positionOf("000000001234-000005", "0xd2f1…").id // "000000001234-000005-d2f1…"
 */
export const positionOf = (place: string, blockHash: Hex): Position => ({
  id: `${place}-${blockHash.slice(2, 2 + BRANCH_DIGITS)}`,
  eventId: place,
});

/** Where the log begins, before its first event. */
export const START: Position = positionOf(eventId(0n, 0), `0x${"0".repeat(BRANCH_DIGITS)}`);

/** Reads a position that was given to a client, or gives null for a text that never was one. */
export function readPosition(id: string): Position | null {
  const place = pattern.exec(id)?.[1];
  return place === undefined ? null : { id, eventId: place };
}

/** Whether a block with this hash is the one that a position names. */
export const isOnBlock = ({ id }: Position, blockHash: string) =>
  isHex(blockHash) && blockHash.slice(2, 2 + BRANCH_DIGITS) === id.slice(-BRANCH_DIGITS);

/** The first digits of a block's hash, as the hash itself begins. */
export const branchOf = ({ id }: Position): Hex => `0x${id.slice(-BRANCH_DIGITS)}`;

export const blockOf = ({ eventId: place }: Position) => blockOfEvent(place);

/** The greatest place that a block can have. */
export const endOfBlock = (block: bigint) => eventId(block, 999_999);

export const logIndexOf = ({ eventId: place }: Position) => Number(place.slice(-6));
