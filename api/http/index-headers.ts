import type { Context as HonoContext } from "hono";
import type { IndexHead } from "../index/head";
import type { Env } from "./log";

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
export function setIndexHeaders(c: HonoContext<Env>, head: IndexHead): void {
  const current = c.get("indexHeaders") ?? {};
  const added = Object.fromEntries(indexHeaders(head));
  const isOlder = head.block !== null && head.block < BigInt(current[INDEX_BLOCK] ?? head.block);
  const headers = isOlder ? { ...current, ...added } : { ...added, ...current };
  c.set("indexHeaders", headers);
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
}
