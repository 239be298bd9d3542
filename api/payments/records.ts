import { randomUUID } from "node:crypto";
import {
  and,
  desc,
  eq,
  getTableColumns,
  inArray,
  isNotNull,
  isNull,
  lt,
  lte,
  not,
  or,
  type SQL,
  sql,
} from "drizzle-orm";
import type { BaseContext } from "../core/context";
import { payment } from "../offchain/tables";

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

const { state, leaseUntil, expiresAt, blockNumber, blockHash } = payment;

const isKey = ({ network, asset, payer, nonce }: PaymentKey) =>
  and(eq(payment.network, network), eq(payment.asset, asset), eq(payment.payer, payer), eq(payment.nonce, nonce));
const isPast = (column: typeof leaseUntil | typeof expiresAt) => lt(column, sql`now()`);
const inSeconds = (seconds: number) => sql`now() + make_interval(secs => ${seconds})`;

/** What the follower reads of a payment. */
const { answer: _, ...columns } = getTableColumns(payment);
const followed = {
  ...columns,
  payload: sql<string>`${payment.payload}`,
  isLeased: sql<boolean>`${leaseUntil} >= now()`,
};

const lease = { leaseUntil: inSeconds(LEASE_SECONDS) };
const noLease = { leaseUntil: sql`now()` };
const noLocation = { blockNumber: null, blockHash: null };

/** When an authorization ends, but between the end of the lease and that of the longest retention. */
const retentionEnd = (validBefore: bigint) => {
  const end = sql`to_timestamp(${String(validBefore < YEAR_10000 ? validBefore : YEAR_10000)}::float8)`;
  return sql`least(greatest(${end}, ${lease.leaseUntil}), ${inSeconds(MAX_RETENTION_SECONDS)})`;
};

/** Expired payments without a transfer that a reorg could remove. */
const isDisposable = and(isPast(expiresAt), inArray(state, ["CLAIMED", "SETTLING", "FINAL"]));
const isAbandoned = and(eq(state, "SETTLED"), lt(expiresAt, inSeconds(-MAX_FOLLOWED_SECONDS)));

/** It has to be settled: it never was as far as known, or a reorg has removed its transfer. */
const isUnsettled = inArray(state, ["SETTLING", "REVERTED"]);
const wasSettled = inArray(state, ["SETTLED", "REVERTED"]);
const isClaimedBy = (key: PaymentKey, holder: string) =>
  and(isKey(key), eq(payment.holder, holder), eq(state, "CLAIMED"));

type Claim = PaymentKey & Pick<PaymentRow, "hash" | "request" | "payload"> & { validBefore: bigint };
type Values = { [Column in keyof PaymentRow]?: PaymentRow[Column] | SQL };

export type PaymentRecords = ReturnType<typeof createPaymentRecords>;

/** The payments of a network in the store. Each change is one statement, so it holds among all processes. */
export function createPaymentRecords(store: BaseContext["store"], network: string) {
  const isLocated = and(eq(payment.network, network), eq(state, "SETTLED"), isNotNull(blockHash));

  /** Changes the payments that meet all conditions. Returns whether there were any. */
  async function change(values: Values, ...conditions: (SQL | undefined)[]): Promise<boolean> {
    const changed = (await store()).update(payment).set(values);
    const rows = await changed.where(and(...conditions)).returning({ nonce: payment.nonce });
    return rows.length > 0;
  }

  /**
   * Claims a payment for one attempt, so exactly one of several concurrent copies succeeds. Takes over a claim whose lease
   * expired before settlement. Returns the new holder's id, or the existing row.
   */
  async function claim({ validBefore, ...claimed }: Claim): Promise<{ holder: string } | { row: PaymentRow }> {
    const db = await store();
    await db.delete(payment).where(or(isDisposable, isAbandoned));
    const holder = randomUUID();
    const attempt = { ...claimed, ...lease, holder, state: "CLAIMED" as const, expiresAt: retentionEnd(validBefore) };
    const inserted = await db
      .insert(payment)
      .values(attempt)
      .onConflictDoUpdate({
        target: [payment.network, payment.asset, payment.payer, payment.nonce],
        set: { ...attempt, ...noLocation, answer: null, fromBlock: null, transaction: null },
        setWhere: or(isDisposable, and(eq(state, "CLAIMED"), isPast(leaseUntil))),
      })
      .returning({ holder: payment.holder });
    if (inserted.length > 0) return { holder };
    const [row] = await db.select().from(payment).where(isKey(claimed));
    // The other attempt released the payment between the two statements.
    return row ? { row } : claim({ validBefore, ...claimed });
  }

  return {
    claim,

    /** Releases a claimed payment, so that the client can use it again. */
    async release(key: PaymentKey, holder: string): Promise<void> {
      await (await store()).delete(payment).where(isClaimedBy(key, holder));
    },

    /** Stores the response before the settlement request. Returns false if the lease has expired: then it must not settle. */
    beginSettlement: (key: PaymentKey, holder: string, result: Pick<PaymentRow, "answer" | "fromBlock">) =>
      change({ ...result, ...lease, state: "SETTLING" }, isClaimedBy(key, holder), not(isPast(leaseUntil))),

    /** Takes over an unsettled payment. Returns the new holder's id, or null while a lease is valid. */
    async resumeSettlement(key: PaymentKey): Promise<string | null> {
      const holder = randomUUID();
      return (await change({ holder, ...lease }, isKey(key), isUnsettled, isPast(leaseUntil))) ? holder : null;
    },

    /** Ends the lease of a settlement with an unknown outcome, so that a retry can take it over immediately. */
    releaseSettlement: (key: PaymentKey, holder: string) =>
      change(noLease, isKey(key), eq(payment.holder, holder), isUnsettled),

    /** Records a settlement's transaction. A node may need the time of a lease to know it. */
    settled: (key: PaymentKey, transaction: string) =>
      change({ state: "SETTLED", transaction, ...lease }, isKey(key), isUnsettled),

    /** The settled payments whose block is not known, or whose transfer a reorg has removed. */
    unlocated: async () =>
      (await store())
        .select(followed)
        .from(payment)
        .where(and(eq(payment.network, network), wasSettled, isNull(blockHash), isNotNull(payment.payload)))
        .orderBy(leaseUntil)
        .limit(MAX_LOOKUPS),

    /** Records where the transfer of a payment is. The payment is SETTLED, again if a reorg had removed the transfer. */
    located: (key: PaymentKey, location: Pick<PaymentRow, "transaction" | "blockNumber" | "blockHash">) =>
      change({ state: "SETTLED", ...location }, isKey(key), wasSettled),

    /** Marks a SETTLED payment as REVERTED, or a REVERTED one as UNPAID. Returns whether this call did. */
    lost(key: PaymentKey, from: "SETTLED" | "REVERTED"): Promise<boolean> {
      const lost: Values = from === "SETTLED" ? { state: "REVERTED" } : { state: "UNPAID", answer: null };
      return change({ ...lost, ...noLease }, isKey(key), eq(state, from), isNull(blockHash), isPast(leaseUntil));
    },

    /** The blocks with transfers that are not final yet, newest first. */
    async blocks() {
      const found = (await store()).selectDistinct({ number: blockNumber, hash: blockHash }).from(payment);
      const rows = await found.where(isLocated).orderBy(desc(blockNumber));
      return rows.flatMap(({ number, hash }) => (number === null || hash === null ? [] : [{ number, hash }]));
    },

    /** Forgets the location of the transfers in an orphaned block, so that they are looked up again. */
    orphaned: (hash: string) => change({ ...noLocation, ...noLease }, isLocated, eq(blockHash, hash)),

    /** Marks the payments up to a finalized block as FINAL. */
    finalized: (block: bigint) => change({ state: "FINAL" }, isLocated, lte(blockNumber, block)),

    /** Counts the payments that a reorg has left unpaid, on all networks. */
    countUnpaid: async () => (await store()).$count(payment, eq(state, "UNPAID")),
  };
}
