import { type Hex, hexToBigInt } from "viem";
import { z } from "zod";

/** A quantity of at most 64 bits, which a block's number and timestamp are. */
const Quantity = z.custom<Hex>((value) => typeof value === "string" && /^0x[0-9a-f]{1,16}$/.test(value));

/** The fields of a block that the head needs; a full block has more, and keeps them. */
export const BlockHeader = z.looseObject({ number: Quantity, hash: z.string(), timestamp: Quantity });
export type BlockHeader = z.infer<typeof BlockHeader>;

export const isNewer = (block: BlockHeader, other: BlockHeader): boolean =>
  hexToBigInt(block.number) > hexToBigInt(other.number);
