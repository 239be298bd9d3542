import { randomUUID } from "node:crypto";
import { and, eq, lt, or, sql } from "drizzle-orm";
import type { StoreDatabase } from "../store/open";
import { payment } from "../store/schema";

export type PaymentRow = typeof payment.$inferSelect;

/** The idempotency key of a payment. The token accepts each nonce of a payer once. */
export type PaymentKey = Pick<PaymentRow, "network" | "asset" | "payer" | "nonce">;

/** The lease of one attempt. It is longer than the request time limit and the facilitator timeouts. */
const LEASE_SECONDS = 30;

/** The maximum retention of a payment and its response, whatever the payment's validity. */
const MAX_RETENTION_SECONDS = 3_600;

const isKey = ({ network, asset, payer, nonce }: PaymentKey) =>
  and(eq(payment.network, network), eq(payment.asset, asset), eq(payment.payer, payer), eq(payment.nonce, nonce));

const inSeconds = (seconds: number) => sql`now() + make_interval(secs => ${seconds})`;
const isPast = (column: typeof payment.leaseUntil | typeof payment.expiresAt) => lt(column, sql`now()`);

const retentionSeconds = (validBefore: bigint) => {
  const left = validBefore - BigInt(Math.floor(Date.now() / 1000));
  return Math.max(LEASE_SECONDS, left > MAX_RETENTION_SECONDS ? MAX_RETENTION_SECONDS : Number(left));
};

type Claim = PaymentKey & Pick<PaymentRow, "hash" | "request"> & { validBefore: bigint };

/**
 * Claims a payment for one attempt, in one statement, so exactly one of several concurrent copies succeeds across all
 * processes. Takes over a claim whose lease expired before settlement. Returns the new holder's id, or the existing row.
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
    expiresAt: inSeconds(retentionSeconds(validBefore)),
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

/** Takes over a settlement with an unknown outcome. Returns the new holder's id, or null while a lease is valid. */
export async function resumeSettlement(db: StoreDatabase, key: PaymentKey): Promise<string | null> {
  const holder = randomUUID();
  const resumed = await db
    .update(payment)
    .set({ holder, leaseUntil: inSeconds(LEASE_SECONDS) })
    .where(and(isKey(key), eq(payment.state, "SETTLING"), isPast(payment.leaseUntil)))
    .returning({ holder: payment.holder });
  return resumed.length > 0 ? holder : null;
}

/** Ends the lease of a settlement with an unknown outcome, so that a retry can take it over immediately. */
export async function releaseSettlement(db: StoreDatabase, key: PaymentKey, holder: string): Promise<void> {
  await db
    .update(payment)
    .set({ leaseUntil: sql`now()` })
    .where(and(isKey(key), eq(payment.holder, holder), eq(payment.state, "SETTLING")));
}

/** Marks a payment as SETTLED with its transaction. */
export async function recordSettlement(db: StoreDatabase, key: PaymentKey, transaction: string): Promise<void> {
  await db
    .update(payment)
    .set({ state: "SETTLED", transaction })
    .where(and(isKey(key), eq(payment.state, "SETTLING")));
}
