import { randomUUID } from "node:crypto";
import { and, desc, eq, inArray, isNotNull, isNull, lt, lte, or, sql } from "drizzle-orm";
import type { StoreDatabase } from "../offchain/open";
import { payment } from "../offchain/schema";

export type PaymentRow = typeof payment.$inferSelect;

/** The idempotency key of a payment. The token accepts each nonce of a payer once. */
export type PaymentKey = Pick<PaymentRow, "network" | "asset" | "payer" | "nonce">;

/** The lease of one attempt. It is longer than the request time limit and the facilitator timeouts. */
const LEASE_SECONDS = 30;

/** The maximum retention of a payment and its response, whatever the payment's validity. */
const MAX_RETENTION_SECONDS = 3_600;

/** How long after that a transfer is followed that does not become final, because its chain stands still or is unused. */
const MAX_FOLLOWED_SECONDS = 86_400;

const YEAR_10000 = 253_402_300_800n;

/** How many payments one round of the follower looks up. */
const MAX_LOOKUPS = 100;

const isKey = ({ network, asset, payer, nonce }: PaymentKey) =>
  and(eq(payment.network, network), eq(payment.asset, asset), eq(payment.payer, payer), eq(payment.nonce, nonce));

const inSeconds = (seconds: number) => sql`now() + make_interval(secs => ${seconds})`;
const isPast = (column: typeof payment.leaseUntil | typeof payment.expiresAt) => lt(column, sql`now()`);

/** When an authorization ends, but between the end of the lease and that of the longest retention. */
const retentionEnd = (validBefore: bigint) => {
  const end = sql`to_timestamp(${String(validBefore < YEAR_10000 ? validBefore : YEAR_10000)}::float8)`;
  return sql`least(greatest(${end}, ${inSeconds(LEASE_SECONDS)}), ${inSeconds(MAX_RETENTION_SECONDS)})`;
};

/** Expired payments without a transfer that a reorg could remove. */
const isDisposable = and(isPast(payment.expiresAt), inArray(payment.state, ["CLAIMED", "SETTLING", "FINAL"]));

type Claim = PaymentKey & Pick<PaymentRow, "hash" | "request" | "payload"> & { validBefore: bigint };

/**
 * Claims a payment for one attempt, in one statement, so exactly one of several concurrent copies succeeds across all
 * processes. Takes over a claim whose lease expired before settlement. Returns the new holder's id, or the existing row.
 */
export async function claimPayment(
  db: StoreDatabase,
  { validBefore, ...claim }: Claim,
): Promise<{ holder: string } | { row: PaymentRow }> {
  const isAbandoned = and(eq(payment.state, "SETTLED"), lt(payment.expiresAt, inSeconds(-MAX_FOLLOWED_SECONDS)));
  await db.delete(payment).where(or(isDisposable, isAbandoned));
  const holder = randomUUID();
  const attempt = {
    ...claim,
    holder,
    state: "CLAIMED" as const,
    leaseUntil: inSeconds(LEASE_SECONDS),
    expiresAt: retentionEnd(validBefore),
  };
  const [claimed] = await db
    .insert(payment)
    .values(attempt)
    .onConflictDoUpdate({
      target: [payment.network, payment.asset, payment.payer, payment.nonce],
      set: { ...attempt, answer: null, fromBlock: null, transaction: null, blockNumber: null, blockHash: null },
      setWhere: or(isDisposable, and(eq(payment.state, "CLAIMED"), isPast(payment.leaseUntil))),
    })
    .returning({ holder: payment.holder });
  if (claimed) return { holder };
  const [row] = await db.select().from(payment).where(isKey(claim));
  // The other attempt released the payment between the two statements.
  return row ? { row } : claimPayment(db, { validBefore, ...claim });
}

/** Releases a claimed payment, so that the client can use it again. */
export async function releasePayment(db: StoreDatabase, key: PaymentKey, holder: string): Promise<void> {
  await db.delete(payment).where(and(isKey(key), eq(payment.holder, holder), eq(payment.state, "CLAIMED")));
}

/**
 * Marks a payment as SETTLING and stores the response, before the settlement request. Returns false if the lease has
 * expired; the attempt must not settle then.
 */
export async function beginSettlement(
  db: StoreDatabase,
  key: PaymentKey,
  holder: string,
  result: Pick<PaymentRow, "answer" | "fromBlock">,
): Promise<boolean> {
  const begun = await db
    .update(payment)
    .set({ ...result, state: "SETTLING", leaseUntil: inSeconds(LEASE_SECONDS) })
    .where(
      and(isKey(key), eq(payment.holder, holder), eq(payment.state, "CLAIMED"), sql`${payment.leaseUntil} >= now()`),
    )
    .returning({ holder: payment.holder });
  return begun.length > 0;
}

/** The states of a payment that has to be settled: it never was as far as known, or a reorg has removed its transfer. */
const unsettled = inArray(payment.state, ["SETTLING", "REVERTED"]);

/** Takes over a settlement with an unknown outcome, or one that a reorg removed. Returns the new holder's id, or null while a lease is valid. */
export async function resumeSettlement(db: StoreDatabase, key: PaymentKey): Promise<string | null> {
  const holder = randomUUID();
  const resumed = await db
    .update(payment)
    .set({ holder, leaseUntil: inSeconds(LEASE_SECONDS) })
    .where(and(isKey(key), unsettled, isPast(payment.leaseUntil)))
    .returning({ holder: payment.holder });
  return resumed.length > 0 ? holder : null;
}

/** Ends the lease of a settlement with an unknown outcome, so that a retry can take it over immediately. */
export async function releaseSettlement(db: StoreDatabase, key: PaymentKey, holder: string): Promise<void> {
  await db
    .update(payment)
    .set({ leaseUntil: sql`now()` })
    .where(and(isKey(key), eq(payment.holder, holder), unsettled));
}

/** Marks a payment as SETTLED with its transaction. A node may need the time of a lease to know the transaction. */
export async function recordSettlement(db: StoreDatabase, key: PaymentKey, transaction: string): Promise<void> {
  await db
    .update(payment)
    .set({ state: "SETTLED", transaction, leaseUntil: inSeconds(LEASE_SECONDS) })
    .where(and(isKey(key), unsettled));
}

/** A payment whose transfer has to be looked up. */
export type Unlocated = PaymentKey &
  Pick<PaymentRow, "state" | "fromBlock" | "transaction" | "payload"> & { isLeased: boolean };

/** Reads the settled payments of a network whose block is not known, or whose transfer a reorg has removed. */
export async function readUnlocated(db: StoreDatabase, network: string): Promise<Unlocated[]> {
  const { asset, payer, nonce, state, fromBlock, transaction, payload, leaseUntil } = payment;
  return db
    .select({
      ...{ network: payment.network, asset, payer, nonce, state, fromBlock, transaction, payload },
      isLeased: sql<boolean>`${leaseUntil} >= now()`,
    })
    .from(payment)
    .where(and(eq(payment.network, network), inArray(state, ["SETTLED", "REVERTED"]), isNull(payment.blockHash)))
    .orderBy(leaseUntil)
    .limit(MAX_LOOKUPS);
}

/** Records where the transfer of a payment is. The payment is SETTLED, again if a reorg had removed the transfer. */
export async function recordLocation(
  db: StoreDatabase,
  key: PaymentKey,
  location: Pick<PaymentRow, "transaction" | "blockNumber" | "blockHash">,
): Promise<void> {
  await db
    .update(payment)
    .set({ state: "SETTLED", ...location })
    .where(and(isKey(key), inArray(payment.state, ["SETTLED", "REVERTED"])));
}

/** Marks a SETTLED payment as REVERTED, or a REVERTED one as UNPAID. Returns whether this call did. */
export async function recordLoss(
  db: StoreDatabase,
  key: PaymentKey,
  [from, to]: ["SETTLED", "REVERTED"] | ["REVERTED", "UNPAID"],
): Promise<boolean> {
  const rows = await db
    .update(payment)
    .set({ state: to, leaseUntil: sql`now()`, ...(to === "UNPAID" && { answer: null }) })
    .where(and(isKey(key), eq(payment.state, from), isNull(payment.blockHash), isPast(payment.leaseUntil)))
    .returning({ nonce: payment.nonce });
  return rows.length > 0;
}

const isLocated = (network: string) =>
  and(eq(payment.network, network), eq(payment.state, "SETTLED"), isNotNull(payment.blockHash));

/** Reads the blocks with transfers that are not final yet, newest first. */
export async function readBlocks(db: StoreDatabase, network: string): Promise<{ number: bigint; hash: string }[]> {
  const { blockNumber, blockHash } = payment;
  const rows = await db
    .selectDistinct({ number: blockNumber, hash: blockHash })
    .from(payment)
    .where(isLocated(network))
    .orderBy(desc(blockNumber));
  return rows.flatMap(({ number, hash }) => (number === null || hash === null ? [] : [{ number, hash }]));
}

/** Forgets the location of the transfers in an orphaned block, so that they are looked up again. */
export async function forgetBlock(db: StoreDatabase, network: string, hash: string): Promise<void> {
  await db
    .update(payment)
    .set({ blockNumber: null, blockHash: null, leaseUntil: sql`now()` })
    .where(and(isLocated(network), eq(payment.blockHash, hash)));
}

/** Marks the payments up to a finalized block as FINAL. */
export async function recordFinality(db: StoreDatabase, network: string, finalized: bigint): Promise<void> {
  await db
    .update(payment)
    .set({ state: "FINAL" })
    .where(and(isLocated(network), lte(payment.blockNumber, finalized)));
}

/** Counts the payments that a reorg has left unpaid, on all networks. */
export const countUnpaid = (db: StoreDatabase): Promise<number> => db.$count(payment, eq(payment.state, "UNPAID"));
