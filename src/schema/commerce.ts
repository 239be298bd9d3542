import { index, onchainTable, sql } from "ponder";
import { hex, madeInBlock, ofBlock } from "./columns";

/** One row is one merchant. */
export const merchant = onchainTable(
  "merchant",
  (t) => ({
    merchantId: t.bigint().primaryKey(),
    owner: hex(t).notNull(),
    payoutAddress: hex(t).notNull(),
    metadataUri: t.varchar().notNull(),
    metadataHash: hex(t).notNull(),
    active: t.boolean().notNull(),
    blockNumber: madeInBlock(t),
  }),
  (table) => ({
    byOwner: index().on(table.owner, table.merchantId),
    byActive: index().on(table.active, table.merchantId),
  }),
);

/** One row is one service of a merchant. The merchant chooses `serviceId`, which need not be unique. */
export const service = onchainTable(
  "service",
  (t) => ({
    serviceNumericId: t.bigint().primaryKey(),
    merchantId: t.bigint().notNull(),
    serviceId: t.varchar().notNull(),
    metadataUri: t.varchar().notNull(),
    metadataHash: hex(t).notNull(),
    capabilityHash: hex(t).notNull(),
    active: t.boolean().notNull(),
    blockNumber: madeInBlock(t),
  }),
  (table) => ({
    byMerchant: index().on(table.merchantId, table.serviceNumericId),
    byCapability: index().on(table.capabilityHash, table.serviceNumericId),
    byActive: index().on(table.active, table.serviceNumericId),
  }),
);

/** One row is one facilitator. Registering its address again keeps the id. */
export const facilitator = onchainTable(
  "facilitator",
  (t) => ({
    facilitatorId: t.bigint().primaryKey(),
    facilitator: hex(t).notNull(),
    metadataUri: t.varchar().notNull(),
    metadataHash: hex(t).notNull(),
    active: t.boolean().notNull(),
    blockNumber: madeInBlock(t),
  }),
  (table) => ({
    byActive: index().on(table.active, table.facilitatorId),
    byAddress: index().on(table.facilitator),
  }),
);

/** One row is one quote. Committing it again resets `settled` and keeps its position in lists. */
export const quote = onchainTable(
  "quote",
  (t) => ({
    quoteHash: hex(t).primaryKey(),
    merchantId: t.bigint().notNull(),
    serviceNumericId: t.bigint().notNull(),
    agent: hex(t).notNull(),
    token: hex(t).notNull(),
    facilitator: hex(t).notNull(),
    amount: t.bigint().notNull(),
    paymentRail: t.integer().notNull(),
    protocolFeeBps: t.integer().notNull(),
    protocolFeeAmount: t.bigint().notNull(),
    expiresAt: t.bigint().notNull(),
    paymentNonce: t.bigint().notNull(),
    resourceHash: hex(t).notNull(),
    termsHash: hex(t).notNull(),
    x402PayloadHash: hex(t).notNull(),
    settled: t.boolean().notNull(),
    /** The time of the first commitment. */
    committedAt: ofBlock(t).notNull(),
    logIndex: t.integer().notNull(),
    blockNumber: madeInBlock(t),
  }),
  (table) => ({
    newest: index().on(table.blockNumber, table.logIndex),
    byMerchant: index().on(table.merchantId, table.blockNumber, table.logIndex),
    byAgent: index().on(table.agent, table.blockNumber, table.logIndex),
    bySettled: index().on(table.settled, table.blockNumber, table.logIndex),
  }),
);

/**
 * How the payment of a receipt is known: by a settlement on chain that pays it, by a facilitator that is neither of the
 * parties, or only by the party that recorded the receipt.
 */
export const paymentProofs = ["settlement", "facilitator", "claim"] as const;

/** One row is one settled payment. */
export const receipt = onchainTable(
  "receipt",
  (t) => ({
    receiptId: t.bigint().primaryKey(),
    quoteHash: hex(t).notNull(),
    agent: hex(t).notNull(),
    merchantId: t.bigint().notNull(),
    serviceNumericId: t.bigint().notNull(),
    token: hex(t).notNull(),
    amount: t.bigint().notNull(),
    paymentRail: t.integer().notNull(),
    protocolFeeBps: t.integer().notNull(),
    protocolFeeAmount: t.bigint().notNull(),
    facilitator: hex(t).notNull(),
    resultHash: hex(t).notNull(),
    resourceHash: hex(t).notNull(),
    /** The latest fulfilment. Null until there is one. */
    fulfillmentHash: hex(t),
    paymentProof: t.varchar({ enum: paymentProofs }).notNull(),
    settledAt: ofBlock(t).notNull(),
    blockNumber: madeInBlock(t),
    txHash: hex(t).notNull(),
  }),
  (table) => ({
    byAgent: index().on(table.agent, table.receiptId),
    byMerchant: index().on(table.merchantId, table.receiptId),
    byService: index().on(table.serviceNumericId, table.receiptId),
    byQuote: index().on(table.quoteHash),
    byFacilitator: index().on(table.facilitator, table.receiptId),
    byToken: index().on(table.token, table.receiptId),
    byAmount: index().on(table.token, table.amount, table.receiptId),
    byPaymentRail: index().on(table.paymentRail, table.receiptId),
    // Partial, because PostgreSQL does not take `IS NULL` for an equality when it looks for an ordered index.
    fulfilled: index("receipt_fulfilled_index").on(table.receiptId).where(sql`fulfillment_hash IS NOT NULL`),
    unfulfilled: index("receipt_unfulfilled_index").on(table.receiptId).where(sql`fulfillment_hash IS NULL`),
    // Finds the first and the last receipt of a range of times, since ids are in the order of time.
    bySettledAt: index().on(table.settledAt, table.receiptId),
  }),
);

// The contracts' enums, in declaration order.
export const paymentRails = ["transfer", "swap", "facilitator", "x402"] as const;
export const signalSubjects = ["merchant", "service", "facilitator", "agent"] as const;
export const signalKinds = ["verification", "risk", "compliance", "fulfillment"] as const;
export const disputeStatuses = ["OPEN", "RESOLVED", "REJECTED"] as const;

/** One row is one dispute. It may be resolved more than once; the latest outcome applies. */
export const dispute = onchainTable(
  "dispute",
  (t) => ({
    disputeId: t.bigint().primaryKey(),
    receiptId: t.bigint().notNull(),
    /** The merchant and the service of the receipt. */
    merchantId: t.bigint(),
    serviceNumericId: t.bigint(),
    status: t.varchar({ enum: disputeStatuses }).notNull(),
    opener: hex(t).notNull(),
    reasonHash: hex(t).notNull(),
    resolutionHash: hex(t),
    blockNumber: madeInBlock(t),
  }),
  (table) => ({
    byReceipt: index().on(table.receiptId, table.disputeId),
    byMerchant: index().on(table.merchantId, table.disputeId),
    byOpener: index().on(table.opener, table.disputeId),
  }),
);

/** One row is one trust signal. Its subject need not exist. */
export const trustSignal = onchainTable(
  "trust_signal",
  (t) => ({
    signalId: t.bigint().primaryKey(),
    subjectType: t.integer().notNull(),
    subjectId: t.bigint().notNull(),
    kind: t.integer().notNull(),
    reporter: hex(t).notNull(),
    signalHash: hex(t).notNull(),
    blockNumber: madeInBlock(t),
  }),
  (table) => ({
    bySubject: index().on(table.subjectType, table.subjectId, table.signalId),
    bySubjectId: index().on(table.subjectId, table.signalId),
    byKind: index().on(table.kind, table.signalId),
    byReporter: index().on(table.reporter, table.signalId),
  }),
);
