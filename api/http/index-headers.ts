import type { Context as HonoContext } from "hono";
import type { IndexHead } from "../index/head";
import type { Env } from "./log";

/** Headers of responses that read the index. */
export const INDEX_BLOCK = "x-index-block";
export const INDEX_STATUS = "x-index-status";

/** Headers as a record, from their names and values in turn. */
export const recordOf = (headers: readonly string[]): Record<string, string> =>
  Object.fromEntries(headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1] ?? ""]] : [])));

/** Names and values in turn, by the head that they describe. Many responses have the same head. */
const headersOfHeads = new WeakMap<IndexHead, readonly string[]>();

/** The index headers of a response with one read: names and values in turn. */
export function indexHeaders(head: IndexHead): readonly string[] {
  let headers = headersOfHeads.get(head);
  if (!headers) {
    headers = [
      ...(head.block === null ? [] : [INDEX_BLOCK, head.block.toString()]),
      ...(head.historyDone ? [] : [INDEX_STATUS, "syncing"]),
    ];
    headersOfHeads.set(head, headers);
  }
  return headers;
}

/**
 * Sets the index block and, during a backfill, the status `syncing`. A response with several reads, such as a tRPC batch,
 * has the lowest block.
 */
export function setIndexHeaders(c: HonoContext<Env>, head: IndexHead): void {
  const current = c.get("indexHeaders") ?? {};
  const added = recordOf(indexHeaders(head));
  const isOlder = head.block !== null && head.block < BigInt(current[INDEX_BLOCK] ?? head.block);
  const headers = isOlder ? { ...current, ...added } : { ...added, ...current };
  c.set("indexHeaders", headers);
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
}
