import type { onchainTable } from "ponder";
import type { Hex } from "viem";

// Column types of the tables.

type Columns = Parameters<Extract<Parameters<typeof onchainTable>[1], (...args: never) => unknown>>[0];

/** A sum of amounts. Each amount can be as large as 2^256 − 1, so a sum can exceed any fixed width. */
export const sum = (t: Columns) => t.numeric({ mode: "bigint" }).notNull().default(0n);

/** Lowercase hex. Handlers receive it in lowercase; Ponder's `hex()` would lowercase every value again on each write. */
export const hex = (t: Columns) => t.varchar().$type<Hex>();

/** A block number or timestamp. 64 bits suffice, because consensus rules bound both. */
export const ofBlock = (t: Columns) => t.int8({ mode: "bigint" });

/** A number of rows. */
export const count = (t: Columns) => t.integer().notNull().default(0);

/** The block of the event that created a row. */
export const madeInBlock = (t: Columns) => ofBlock(t).notNull();
