import { and, eq, gt, notInArray, sql } from "drizzle-orm";
import type { Address } from "viem";
import type { StoreDatabase } from "./open";
import { tokenPrice } from "./tables";

/** Advisory lock key, together with the chain. Arbitrary, but equal in all processes that read prices. */
const PRICE_LOCK = 4_027_312;

/** The end of a transaction whose process hangs, so that another one can read prices. */
const MAX_IDLE_SECONDS = 60;

const HOUR_SECONDS = 3_600n;

/** A token and an hour, which is named by its first second. */
export type TokenHour = { address: Address; hour: bigint };

/** The price of a token in an hour in dollars, as exact decimals. Null if it had none. */
export type HourPrice = TokenHour & { price: string | null; unitPrice: string | null };

/**
 * Runs a task unless another process runs it. Then it returns undefined. The lock belongs to a transaction, because poolers
 * may give every transaction another session.
 */
export const withPriceLock = <Value>(
  db: StoreDatabase,
  chainId: number,
  task: (transaction: StoreDatabase) => Promise<Value>,
): Promise<Value | undefined> =>
  db.transaction(async (transaction) => {
    const [lock] = await transaction
      .select({ isHeld: sql<boolean>`pg_try_advisory_xact_lock(${PRICE_LOCK}::int, ${chainId}::int)` })
      .from(sql`(SELECT) AS once`);
    if (!lock?.isHeld) return undefined;
    await transaction.execute(sql.raw(`SET LOCAL idle_in_transaction_session_timeout = '${MAX_IDLE_SECONDS}s'`));
    return task(transaction);
  });

const ofChain = (chainId: number) => eq(tokenPrice.chainId, chainId);

/** Deletes the prices of tokens that are not priced any more, and corrects those whose decimals have changed. */
export async function correctPrices(
  db: StoreDatabase,
  chainId: number,
  decimals: ReadonlyMap<Address, number>,
): Promise<void> {
  const addresses = [...decimals.keys()];
  await db.delete(tokenPrice).where(and(ofChain(chainId), notInArray(tokenPrice.address, addresses)));
  const places = sql`unnest(${sql.param(addresses)}::text[], ${sql.param([...decimals.values()])}::int[])`;
  // A product is exact, unlike a quotient.
  await db.execute(sql`
    UPDATE ${tokenPrice} SET unit_price = trim_scale(price * ('1e-' || places)::numeric)
    FROM ${places} AS token (token, places)
    WHERE ${ofChain(chainId)} AND ${tokenPrice.address} = token
      AND ${tokenPrice.unitPrice} <> ${tokenPrice.price} * ('1e-' || places)::numeric`);
}

/** Deletes the prices that may be others because the chain has changed after a time. */
export async function forgetHours(db: StoreDatabase, chainId: number, changedSince: bigint): Promise<void> {
  // The first answer in an hour is its price, too.
  await db.delete(tokenPrice).where(and(ofChain(chainId), gt(tokenPrice.hour, changedSince - HOUR_SECONDS)));
}

/** The hours of each token that have no row, at most `limit` of each, the newest first. */
export async function hoursWithoutPrice(
  db: StoreDatabase,
  chainId: number,
  addresses: readonly Address[],
  { first, last }: { first: bigint; last: bigint },
  limit: number,
): Promise<TokenHour[]> {
  const isMissing = sql`NOT EXISTS (
    SELECT FROM ${tokenPrice}
    WHERE ${ofChain(chainId)} AND ${tokenPrice.address} = token AND ${tokenPrice.hour} = start
  )`;
  const rows = await db.select({ address: sql<Address>`token`, hour: sql<string>`start::text` }).from(
    sql`unnest(${sql.param([...addresses])}::text[]) AS token
        CROSS JOIN LATERAL (
          SELECT start FROM generate_series(${last}::bigint, ${first}::bigint, -3600) AS start
          WHERE ${isMissing} ORDER BY start DESC LIMIT ${limit}
        ) AS missing`,
  );
  return rows.map(({ address, hour }) => ({ address, hour: BigInt(hour) }));
}

/** Stores prices. Equal ones are not written, so that responses stay cached. */
export async function savePrices(db: StoreDatabase, chainId: number, prices: readonly HourPrice[]): Promise<void> {
  if (prices.length === 0) return;
  await db
    .insert(tokenPrice)
    .values(prices.map((price) => ({ chainId, ...price })))
    .onConflictDoUpdate({
      target: [tokenPrice.chainId, tokenPrice.address, tokenPrice.hour],
      set: { price: sql`excluded.price`, unitPrice: sql`excluded.unit_price` },
      setWhere: sql`(${tokenPrice.price}, ${tokenPrice.unitPrice}) IS DISTINCT FROM (excluded.price, excluded.unit_price)`,
    });
}

/** Deletes the prices of tokens in hours. */
export async function deletePrices(db: StoreDatabase, chainId: number, hours: readonly TokenHour[]): Promise<void> {
  for (const { address, hour } of hours)
    await db
      .delete(tokenPrice)
      .where(and(ofChain(chainId), eq(tokenPrice.address, address), eq(tokenPrice.hour, hour)));
}
