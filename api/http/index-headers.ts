import type { Context as HonoContext } from "hono";
import type { IndexHead } from "../index/head";

/** What an answer made from the index says of it. */
export const INDEX_BLOCK = "x-index-block";
export const INDEX_STATUS = "x-index-status";

/**
 * Says in an answer's headers up to which block the index was when it was read, and whether it has still to catch up. An
 * answer made of several reads, as a batch is, says the oldest.
 */
export function sayIndexHead(c: HonoContext, { block, historyDone }: IndexHead): void {
  const said = c.res.headers.get(INDEX_BLOCK);
  if (block !== null && (said === null || block < BigInt(said))) c.header(INDEX_BLOCK, block.toString());
  if (!historyDone) c.header(INDEX_STATUS, "syncing");
}
