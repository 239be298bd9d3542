import { lt, sql } from "drizzle-orm";
import type { StoreDatabase } from "../store/open";
import { storedBytes, writeCount } from "../store/schema";
import { secondsUntil } from "./clock";
import type { BaseContext } from "./context";
import { TooMany } from "./errors";
import type { Caller } from "./operation";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** A client's rate limit in the current minute. */
export type Allowance = { limit: number; remaining: number; resetSeconds: number };

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

/** The size of a row's values as text, in bytes. */
export const textBytes = (row: object) =>
  Object.values(row).reduce((sum: number, value) => sum + Buffer.byteLength(String(value ?? "")), 0);

/** Whether the bytes that the caller stores are limited. */
export const hasByteLimit = ({ storedBytesPerDay }: BaseContext["config"], { hasWriteToken }: Caller): boolean =>
  storedBytesPerDay !== undefined && !hasWriteToken;

/**
 * Adds the bytes of a new row to the caller's daily total (UTC) and throws {@link TooMany} above the limit. Callers with a
 * write token have no limit.
 */
export async function countBytes(
  db: StoreDatabase,
  { storedBytesPerDay: limit }: BaseContext["config"],
  { client, hasWriteToken }: Caller,
  bytes: number,
): Promise<void> {
  if (limit === undefined || hasWriteToken) return;
  const now = Date.now();
  const day = new Date(now).toISOString().slice(0, 10);
  const resetSeconds = secondsUntil((Math.floor(now / DAY_MS) + 1) * DAY_MS, now);
  const tooMany = () =>
    new TooMany(`More than ${limit} bytes stored in a day (UTC); try again tomorrow, or send less`, resetSeconds);
  if (bytes > limit) throw tooMany();
  const [row] = await db
    .insert(storedBytes)
    .values({ client, day, bytes })
    .onConflictDoUpdate({
      target: [storedBytes.client, storedBytes.day],
      set: { bytes: sql`${storedBytes.bytes} + ${bytes}` },
      setWhere: sql`${storedBytes.bytes} + ${bytes} <= ${limit}`,
    })
    .returning({ bytes: storedBytes.bytes });
  if (!row) throw tooMany();
  // The first write of a day deletes the totals of earlier days.
  if (row.bytes === bytes) await db.delete(storedBytes).where(lt(storedBytes.day, day));
}
