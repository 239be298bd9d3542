import { type Hex, isHex } from "viem";
import { blockOfEvent, eventId as eventIdOf } from "../../common/rows/event-id";

/** 8 bytes of a block's hash distinguish it from every other block of the same number. */
const HASH_DIGITS = 16;

const pattern = /^(\d{12}-\d{6})-([0-9a-f]{16})$/;

/**
 * A cursor in the event log: an event, and the hash of its block. A block's hash determines all blocks before it, so the
 * cursor identifies everything a subscriber has received, on which branch of the chain.
 */
export type Cursor = {
  /** Event id and block hash prefix in one string: the id that clients receive. */
  id: string;
  /** The event's id in the log, without the branch. */
  eventId: string;
};

/**
 * The cursor after an event.
 *
 * @example
 * cursorOf("000000001234-000005", "0xd2f1…").id // "000000001234-000005-d2f1…"
 */
export const cursorOf = (eventId: string, blockHash: Hex): Cursor => ({
  id: `${eventId}-${blockHash.slice(2, 2 + HASH_DIGITS)}`,
  eventId,
});

/** The cursor before the first event. */
export const START: Cursor = cursorOf(eventIdOf(0n, 0), `0x${"0".repeat(HASH_DIGITS)}`);

/** Parses a cursor from a client; null if malformed. */
export function parseCursor(id: string): Cursor | null {
  const eventId = pattern.exec(id)?.[1];
  return eventId === undefined ? null : { id, eventId };
}

/** Whether the cursor's event is in the block with this hash. */
export const isInBlock = ({ id }: Cursor, blockHash: string) =>
  isHex(blockHash) && blockHash.slice(2, 2 + HASH_DIGITS) === id.slice(-HASH_DIGITS);

/** The prefix of the block's hash, with 0x. */
export const blockHashPrefix = ({ id }: Cursor): Hex => `0x${id.slice(-HASH_DIGITS)}`;

export const blockOf = ({ eventId }: Cursor) => blockOfEvent(eventId);

/** The greatest event id that a block can have. */
export const endOfBlock = (block: bigint) => eventIdOf(block, 999_999);

export const logIndexOf = ({ eventId }: Cursor) => Number(eventId.slice(-6));
