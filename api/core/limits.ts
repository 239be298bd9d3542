import { lt, sql } from "drizzle-orm";
import { type Placeholders, preparedQuery } from "../indexed/prepared-query";
import type { StoreDatabase } from "../offchain/open";
import { storedBytes, writeCount } from "../offchain/tables";
import type { BaseContext } from "./context";
import { TooMany } from "./errors";
import type { Caller } from "./operation";

/** Minutes since 1970, and the day (UTC), by the clock of the database, which all processes share. */
const minuteNow = sql<number>`floor(extract(epoch FROM clock_timestamp()) / 60)::bigint`;
const today = sql<string>`(clock_timestamp() AT TIME ZONE 'UTC')::date`;

/** Whole seconds until the next minute or day (UTC), at least one, by the same clock. */
const secondsLeftOf = (unitSeconds: number) =>
  sql`ceil(${unitSeconds}::int - mod(extract(epoch FROM clock_timestamp()), ${unitSeconds}::int))::int`.mapWith(Number);

/** A client's rate limit in the current minute. */
export type Allowance = { limit: number; remaining: number; resetSeconds: number };

const addWrite = preparedQuery((db: StoreDatabase, { client }: Placeholders<{ client: string }>) =>
  db
    .insert(writeCount)
    .values({ client, minute: minuteNow, count: 1 })
    .onConflictDoUpdate({
      target: [writeCount.client, writeCount.minute],
      set: { count: sql`${writeCount.count} + 1` },
    })
    .returning({ count: writeCount.count, minute: writeCount.minute, resetSeconds: secondsLeftOf(60) }),
);

/**
 * Counts a client's write and throws {@link TooMany} above the limit per minute. The counter is in the store, so all
 * gateway processes share it.
 */
export async function countWrite(db: StoreDatabase, client: string, limit: number): Promise<Allowance> {
  const [row] = await addWrite(db, { client });
  if (!row) throw new Error("The write was not counted");
  const { count, minute, resetSeconds } = row;
  // The first write of a minute deletes the counters of earlier minutes.
  if (count === 1) await db.delete(writeCount).where(lt(writeCount.minute, minute - 1));
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

type AddedBytes = { client: string; bytes: number; limit: number };

const addBytes = preparedQuery((db: StoreDatabase, { client, bytes, limit }: Placeholders<AddedBytes>) =>
  db
    .insert(storedBytes)
    .values({ client, day: today, bytes })
    .onConflictDoUpdate({
      target: [storedBytes.client, storedBytes.day],
      set: { bytes: sql`${storedBytes.bytes} + ${bytes}` },
      setWhere: sql`${storedBytes.bytes} + ${bytes} <= ${limit}`,
    })
    .returning({ bytes: storedBytes.bytes, day: storedBytes.day }),
);

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
  const tooMany = async () => {
    const [row] = await db.select({ seconds: secondsLeftOf(86_400) }).from(sql`(VALUES (1)) AS one`);
    const seconds = row?.seconds ?? 1;
    return new TooMany(`More than ${limit} bytes stored in a day (UTC); try again tomorrow, or send less`, seconds);
  };
  if (bytes > limit) throw await tooMany();
  const [row] = await addBytes(db, { client, bytes, limit });
  if (!row) throw await tooMany();
  // The first write of a day deletes the totals of earlier days.
  if (row.bytes === bytes) await db.delete(storedBytes).where(lt(storedBytes.day, row.day));
}
