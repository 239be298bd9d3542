import type { Context as HonoContext } from "hono";
import type { IndexHead } from "../index/head";

/** Headers of responses that read the index. */
export const INDEX_BLOCK = "x-index-block";
export const INDEX_STATUS = "x-index-status";

/** The index headers of a response with one read. */
export const indexHeaders = ({ block, historyDone }: IndexHead): [name: string, value: string][] => [
  ...(block === null ? [] : [[INDEX_BLOCK, block.toString()] as [string, string]]),
  ...(historyDone ? [] : [[INDEX_STATUS, "syncing"] as [string, string]]),
];

/**
 * Sets the index block and, during a backfill, the status `syncing`. A response with several reads, such as a tRPC batch,
 * has the lowest block.
 */
export function setIndexHeaders(c: HonoContext, { block, historyDone }: IndexHead): void {
  const current = c.res.headers.get(INDEX_BLOCK);
  if (block !== null && (current === null || block < BigInt(current))) c.header(INDEX_BLOCK, block.toString());
  if (!historyDone) c.header(INDEX_STATUS, "syncing");
}
