const BLOCK_DIGITS = 12;
const LOG_DIGITS = 6;

/**
 * The id of an event: its block number and log index, zero-padded so that ids sort in chain order.
 *
 * @example
 * eventId(1234n, 5) // "000000001234-000005"
 */
export const eventId = (blockNumber: bigint, logIndex: number) =>
  `${String(blockNumber).padStart(BLOCK_DIGITS, "0")}-${String(logIndex).padStart(LOG_DIGITS, "0")}`;

/** The block number in an event id. */
export const blockOfEvent = (id: string) => BigInt(id.slice(0, BLOCK_DIGITS));
