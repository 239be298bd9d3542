import { lt, sql } from "drizzle-orm";
import type { StoreDatabase } from "../store/open";
import { documentQuota, writeCount } from "../store/schema";
import { TooMany } from "./errors";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** A client's rate limit in the current minute. */
export type Allowance = { limit: number; remaining: number; resetSeconds: number };

const secondsUntil = (end: number, now: number) => Math.max(1, Math.ceil((end - now) / 1000));

/**
 * Counts a client's write and throws {@link TooMany} above the limit per minute. The counter is in the store, so all
 * gateway processes share it.
 */
export async function countWrite(db: StoreDatabase, client: string, limit: number, now: number): Promise<Allowance> {
  const minute = Math.floor(now / MINUTE_MS);
  const [row] = await db
    .insert(writeCount)
    .values({ client, minute, count: 1 })
    .onConflictDoUpdate({
      target: [writeCount.client, writeCount.minute],
      set: { count: sql`${writeCount.count} + 1` },
    })
    .returning({ count: writeCount.count });
  const count = row?.count ?? 1;
  // The first write of a minute deletes the counters of earlier minutes.
  if (count === 1) await db.delete(writeCount).where(lt(writeCount.minute, minute - 1));
  const resetSeconds = secondsUntil((minute + 1) * MINUTE_MS, now);
  if (count > limit)
    throw new TooMany(`More than ${limit} writes in a minute; try again in ${resetSeconds} s`, resetSeconds, limit);
  return { limit, remaining: limit - count, resetSeconds };
}

/** Adds a new document's bytes to the client's daily total (UTC) and throws {@link TooMany} above the limit. */
export async function countBytes(
  db: StoreDatabase,
  client: string,
  bytes: number,
  limit: number,
  now: number,
): Promise<void> {
  const day = new Date(now).toISOString().slice(0, 10);
  const resetSeconds = secondsUntil((Math.floor(now / DAY_MS) + 1) * DAY_MS, now);
  const tooMany = () =>
    new TooMany(`More than ${limit} bytes of new documents in a day; try again tomorrow`, resetSeconds);
  if (bytes > limit) throw tooMany();
  const [row] = await db
    .insert(documentQuota)
    .values({ client, day, bytes })
    .onConflictDoUpdate({
      target: [documentQuota.client, documentQuota.day],
      set: { bytes: sql`${documentQuota.bytes} + ${bytes}` },
      setWhere: sql`${documentQuota.bytes} + ${bytes} <= ${limit}`,
    })
    .returning({ bytes: documentQuota.bytes });
  if (!row) throw tooMany();
  // The first document of a day deletes the totals of earlier days.
  if (row.bytes === bytes) await db.delete(documentQuota).where(lt(documentQuota.day, day));
}
