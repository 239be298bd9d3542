import { randomUUID } from "node:crypto";
import { and, eq, lt, or, sql } from "drizzle-orm";
import type { StoreDatabase } from "../store/open";
import { payment } from "../store/schema";

export type PaymentRow = typeof payment.$inferSelect;

/** What makes a payment one payment: the token takes each nonce of a payer once. */
export type PaymentKey = Pick<PaymentRow, "network" | "asset" | "payer" | "nonce">;

/** How long one attempt may take: longer than a request may, and longer than a facilitator is waited for. */
const LEASE_SECONDS = 30;

/** How long what was paid for is kept at most, however long the payment itself is valid. */
const MAX_KEPT_SECONDS = 3_600;

const isKey = ({ network, asset, payer, nonce }: PaymentKey) =>
  and(eq(payment.network, network), eq(payment.asset, asset), eq(payment.payer, payer), eq(payment.nonce, nonce));

const inSeconds = (seconds: number) => sql`now() + make_interval(secs => ${seconds})`;
const isPast = (column: typeof payment.leaseUntil | typeof payment.expiresAt) => lt(column, sql`now()`);

const keptSeconds = (validBefore: bigint) => {
  const left = validBefore - BigInt(Math.floor(Date.now() / 1000));
  return Math.max(LEASE_SECONDS, left > MAX_KEPT_SECONDS ? MAX_KEPT_SECONDS : Number(left));
};

type Claim = PaymentKey & Pick<PaymentRow, "hash" | "request"> & { validBefore: bigint };

/**
 * Claims a payment for one attempt, in one statement, so that of many copies at once one gets it, in whatever process. A
 * claim that was left behind before settlement began is taken over. The name of the attempt is given, or the row of the
 * one that has the payment.
 */
export async function claimPayment(
  db: StoreDatabase,
  { validBefore, ...claim }: Claim,
): Promise<{ holder: string } | { row: PaymentRow }> {
  await db.delete(payment).where(isPast(payment.expiresAt));
  const holder = randomUUID();
  const attempt = {
    ...claim,
    holder,
    state: "CLAIMED" as const,
    leaseUntil: inSeconds(LEASE_SECONDS),
    expiresAt: inSeconds(keptSeconds(validBefore)),
  };
  const [claimed] = await db
    .insert(payment)
    .values(attempt)
    .onConflictDoUpdate({
      target: [payment.network, payment.asset, payment.payer, payment.nonce],
      set: { ...attempt, answer: null, fromBlock: null, transaction: null },
      setWhere: or(isPast(payment.expiresAt), and(eq(payment.state, "CLAIMED"), isPast(payment.leaseUntil))),
    })
    .returning({ holder: payment.holder });
  if (claimed) return { holder };
  const [row] = await db.select().from(payment).where(isKey(claim));
  // Between the two statements the other attempt was given up.
  return row ? { row } : claimPayment(db, { validBefore, ...claim });
}

/** Gives a claimed payment back, so that it can be brought again. */
export async function releasePayment(db: StoreDatabase, key: PaymentKey, holder: string): Promise<void> {
  await db.delete(payment).where(and(isKey(key), eq(payment.holder, holder), eq(payment.state, "CLAIMED")));
}

/**
 * Notes, before anything is settled, that it may be from now on, and what was bought. False when the attempt has lost the
 * payment by taking too long: then it must not settle.
 */
export async function beginSettlement(
  db: StoreDatabase,
  key: PaymentKey,
  holder: string,
  bought: Pick<PaymentRow, "answer" | "fromBlock">,
): Promise<boolean> {
  const begun = await db
    .update(payment)
    .set({ ...bought, state: "SETTLING", leaseUntil: inSeconds(LEASE_SECONDS) })
    .where(
      and(isKey(key), eq(payment.holder, holder), eq(payment.state, "CLAIMED"), sql`${payment.leaseUntil} >= now()`),
    )
    .returning({ holder: payment.holder });
  return begun.length > 0;
}

/** Takes over a settlement that ended without a known outcome; null while somebody is at it. */
export async function resumeSettlement(db: StoreDatabase, key: PaymentKey): Promise<string | null> {
  const holder = randomUUID();
  const resumed = await db
    .update(payment)
    .set({ holder, leaseUntil: inSeconds(LEASE_SECONDS) })
    .where(and(isKey(key), eq(payment.state, "SETTLING"), isPast(payment.leaseUntil)))
    .returning({ holder: payment.holder });
  return resumed.length > 0 ? holder : null;
}

/** Lets others take the settlement over at once: this attempt has ended, and its outcome is not known. */
export async function leaveSettlement(db: StoreDatabase, key: PaymentKey, holder: string): Promise<void> {
  await db
    .update(payment)
    .set({ leaseUntil: sql`now()` })
    .where(and(isKey(key), eq(payment.holder, holder), eq(payment.state, "SETTLING")));
}

/** Notes the transaction that paid. */
export async function recordSettlement(db: StoreDatabase, key: PaymentKey, transaction: string): Promise<void> {
  await db
    .update(payment)
    .set({ state: "SETTLED", transaction })
    .where(and(isKey(key), eq(payment.state, "SETTLING")));
}
