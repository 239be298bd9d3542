import { type Hex, hexToBigInt } from "viem";
import { z } from "zod";

/** A JSON-RPC quantity of at most 64 bits, such as a block number or timestamp. */
const Quantity = z.custom<Hex>((value) => typeof value === "string" && /^0x[0-9a-f]{1,16}$/.test(value));

/** The fields of a block that following the head needs. Other fields are kept. */
export const BlockHeader = z.looseObject({ number: Quantity, hash: z.string(), timestamp: Quantity });
export type BlockHeader = z.infer<typeof BlockHeader>;

/** How many null responses in a row for a block's height mean that it was removed. A single one may come from a lagging node. */
export const MAX_NULL_RESPONSES = 3;

export const isNewer = (block: BlockHeader, other: BlockHeader): boolean =>
  hexToBigInt(block.number) > hexToBigInt(other.number);
