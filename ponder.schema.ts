import { index, onchainTable, primaryKey } from "ponder";
import type { Hex } from "viem";

// Conventions. Amounts and ids are uint256 and fit `bigint()` (numeric(78)). Sums of amounts may exceed uint256, so they
// are unbounded `numeric` ({@link sum}). Addresses and hashes are lowercase hex. Times are unix seconds of the block.
// No primary key has an integer column. Ponder prefetches rows by keys that it predicts from event arguments. A predicted
// value that does not fit the column's type (a uint256, a text) makes the query fail and stops the indexer.
// Strings from the chain have NUL replaced. They may be empty or very long, so no index includes them.
// A descending index column needs `nullsFirst()`, the default of `ORDER BY … DESC`, or PostgreSQL can't sort by the index.

type Columns = Parameters<Extract<Parameters<typeof onchainTable>[1], (...args: never) => unknown>>[0];

/** A sum of amounts. Each amount can be as large as 2^256 − 1, so a sum can exceed any fixed width. */
const sum = (t: Columns) => t.numeric({ mode: "bigint" }).notNull().default(0n);

/** Lowercase hex. Handlers receive it in lowercase; Ponder's `hex()` would lowercase every value again on each write. */
const hex = (t: Columns) => t.varchar().$type<Hex>();

/** A block number or timestamp. 64 bits suffice, because consensus rules bound both. */
const ofBlock = (t: Columns) => t.int8({ mode: "bigint" });

/** A number of rows. */
const count = (t: Columns) => t.integer().notNull().default(0);

/** The block of the event that created a row. */
const madeInBlock = (t: Columns) => ofBlock(t).notNull();

// Event log

/** One row is one protocol event of any of the contracts. */
export const eventLog = onchainTable(
  "event_log",
  (t) => ({
    /** The block number and log index, as formatted by {@link eventId}. Ids sort in chain order. */
    id: t.varchar().primaryKey(),
    blockHash: hex(t).notNull(),
    blockTimestamp: ofBlock(t).notNull(),
    txHash: hex(t).notNull(),
    /** The contract's name in the protocol, such as `IntentBook`. */
    contract: t.varchar().notNull(),
    name: t.varchar().notNull(),
    /**
     * The decoded arguments by name, as JSON text. Integers wider than 48 bits are decimal strings. Text instead of jsonb,
     * because no query reads inside it, and Ponder would parse and serialize every jsonb value twice more.
     */
    args: t.varchar().notNull(),
  }),
  (table) => ({
    byTransaction: index().on(table.txHash, table.id),
    byName: index().on(table.name, table.id),
  }),
);

// Agents

/** One row is one registered agent, active or revoked. */
export const agent = onchainTable(
  "agent",
  (t) => ({
    agentId: t.bigint().primaryKey(),
    owner: hex(t).notNull(),
    metadataUri: t.varchar().notNull(),
    /** Hex bytes of any length. The contract does not check that they are a key. */
    pubkey: hex(t).notNull(),
    capabilitiesHash: hex(t).notNull(),
    revoked: t.boolean().notNull(),
    blockNumber: madeInBlock(t),
  }),
  (table) => ({ byOwner: index().on(table.owner, table.agentId) }),
);

// Intents, bids, fills

/** One row is one submitted intent and its current state. */
export const intent = onchainTable(
  "intent",
  (t) => ({
    intentId: t.bigint().primaryKey(),
    owner: hex(t).notNull(),
    /** Index into the contract's `IntentType`. */
    intentType: t.integer().notNull(),
    amountInMax: t.bigint().notNull(),
    amountOutMin: t.bigint().notNull(),
    deadline: t.bigint().notNull(),
    slippageBps: t.integer().notNull(),
    /** The execution that the owner committed to. Zero means no commitment. */
    executionTarget: hex(t).notNull(),
    executionDataHash: hex(t).notNull(),
    requiredAttestationSubject: hex(t).notNull(),
    requiredAttestationSchema: hex(t).notNull(),
    metadataUriHash: hex(t).notNull(),
    inputToken: hex(t).notNull(),
    outputToken: hex(t).notNull(),
    nonce: t.bigint().notNull(),
    /** The EIP-712 struct hash. Clients can compute it before submission. */
    intentHash: hex(t).notNull(),
    /** The on-chain status. An intent past its deadline stays OPEN; readers derive EXPIRED. */
    status: t.varchar({ enum: ["OPEN", "FILLED", "CANCELLED"] }).notNull(),
    /** The selected bid and its solver. Null until the owner selects a bid. */
    selectedBidId: t.bigint(),
    selectedSolver: hex(t),
    submittedAt: ofBlock(t).notNull(),
    blockNumber: madeInBlock(t),
    txHash: hex(t).notNull(),
  }),
  (table) => ({
    byHash: index().on(table.intentHash),
    byOwner: index().on(table.owner, table.intentId),
    byStatus: index().on(table.status, table.intentId),
    // Solvers query the unexpired OPEN intents, and most rows with status OPEN have expired.
    byDeadline: index().on(table.status, table.deadline),
    byInputToken: index().on(table.inputToken, table.intentId),
    byOutputToken: index().on(table.outputToken, table.intentId),
    bySelectedSolver: index().on(table.selectedSolver, table.status, table.deadline),
  }),
);

/**
 * One row is one bid of a solver. `bidId` counts from 1 within each intent. Readers derive a bid's status from the intent
 * (its selected bid), from `bid_selection` and from the current time.
 */
export const bid = onchainTable(
  "bid",
  (t) => ({
    intentId: t.bigint().notNull(),
    bidId: t.bigint().notNull(),
    solver: hex(t).notNull(),
    amountIn: t.bigint().notNull(),
    amountOut: t.bigint().notNull(),
    fee: t.bigint().notNull(),
    validUntil: t.bigint().notNull(),
    executionHash: hex(t).notNull(),
    createdAt: ofBlock(t).notNull(),
    blockNumber: madeInBlock(t),
    txHash: hex(t).notNull(),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.intentId, table.bidId] }),
    bestFirst: index().on(
      table.intentId,
      table.amountOut.desc().nullsFirst(),
      table.amountIn,
      table.fee,
      table.createdAt,
      table.bidId,
    ),
    bySolver: index().on(table.solver),
  }),
);

/** One row is one bid that the intent's owner selected. A later selection may have replaced it. */
export const bidSelection = onchainTable(
  "bid_selection",
  (t) => ({ intentId: t.bigint().notNull(), bidId: t.bigint().notNull() }),
  (table) => ({ pk: primaryKey({ columns: [table.intentId, table.bidId] }) }),
);

/** One row is the fill of an intent. An intent has at most one fill. */
export const fill = onchainTable(
  "fill",
  (t) => ({
    intentId: t.bigint().primaryKey(),
    solver: hex(t).notNull(),
    amountIn: t.bigint().notNull(),
    amountOut: t.bigint().notNull(),
    /** The bid that was selected when the intent was filled. */
    bidId: t.bigint(),
    filledAt: ofBlock(t).notNull(),
    blockNumber: madeInBlock(t),
    txHash: hex(t).notNull(),
  }),
  (table) => ({ bySolver: index().on(table.solver, table.intentId) }),
);

/** One row is the proof of a fill. The contract emits it as a separate event. */
export const fillProof = onchainTable("fill_proof", (t) => ({
  intentId: t.bigint().primaryKey(),
  resultHash: hex(t).notNull(),
  traceHash: hex(t).notNull(),
  attestationId: t.bigint().notNull(),
}));

// Policies

export const policyTypes = [
  "ACCOUNT_FROZEN",
  "FUNCTION_ALLOWLIST",
  "FUNCTION_ALLOWLIST_MODE",
  "GUARDIAN",
  "PAYMENT_POLICY",
  "SPEND_LIMIT",
  "TARGET_ALLOWLIST",
] as const;

/**
 * One row is the current state of one policy of an account. All types share one table, so that an account's policies
 * form one ordered list. `policyType` determines which columns are set.
 */
export const policy = onchainTable(
  "policy",
  (t) => ({
    account: hex(t).notNull(),
    policyType: t.varchar({ enum: policyTypes }).notNull(),
    /** The policy's subject, as formatted by {@link policyKey}: a token, a target, a target and a selector, … */
    key: t.varchar().notNull(),
    /** GUARDIAN. */
    guardian: hex(t),
    /** TARGET_ALLOWLIST, FUNCTION_ALLOWLIST, PAYMENT_POLICY: allowed. FUNCTION_ALLOWLIST_MODE: on. ACCOUNT_FROZEN: frozen. */
    enabled: t.boolean(),
    /** PAYMENT_POLICY. */
    maxPerPayment: t.bigint(),
    /** SPEND_LIMIT, PAYMENT_POLICY. 0 means no limit. */
    maxPerDay: t.bigint(),
    /** SPEND_LIMIT, PAYMENT_POLICY: spent in the window that began at `lastReset`. Counts as 0 after 86400 s. */
    spentToday: t.bigint(),
    lastReset: ofBlock(t),
    /** The block in which the policy was last set. Spending does not update it. */
    blockNumber: ofBlock(t).notNull(),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.account, table.policyType, table.key] }) }),
);

// Attestations, attestors, solvers

/** One row is one attestation, active or revoked. */
export const attestation = onchainTable(
  "attestation",
  (t) => ({
    attestationId: t.bigint().primaryKey(),
    attester: hex(t).notNull(),
    schemaHash: hex(t).notNull(),
    subject: hex(t).notNull(),
    dataHash: hex(t).notNull(),
    timestamp: ofBlock(t).notNull(),
    revoked: t.boolean().notNull(),
    blockNumber: madeInBlock(t),
  }),
  (table) => ({
    bySchema: index().on(table.schemaHash, table.attestationId),
    bySubject: index().on(table.subject, table.attestationId),
    byAttester: index().on(table.attester, table.attestationId),
    byRevoked: index().on(table.revoked, table.attestationId),
  }),
);

/** One row is one registered attestor. Its counters are in `total`, as `attestations_by_attester` of its operator. */
export const attestor = onchainTable(
  "attestor",
  (t) => ({
    attestorId: t.bigint().primaryKey(),
    operator: hex(t).notNull(),
    metadataUri: t.varchar().notNull(),
    schemasHash: hex(t).notNull(),
    active: t.boolean().notNull(),
    blockNumber: madeInBlock(t),
  }),
  (table) => ({
    byOperator: index().on(table.operator, table.attestorId),
    byActive: index().on(table.active, table.attestorId),
  }),
);

/** One row is the activity of one solver address, registered or not. */
export const solverActivity = onchainTable("solver_activity", (t) => ({
  solver: hex(t).primaryKey(),
  fills: count(t),
  /** Sum over fills of fill block − submission block. */
  latencyBlocks: sum(t),
  /** Sum over fills of amountOut − the intent's amountOutMin. */
  surplusOut: sum(t),
  /** Selected bids whose intent was cancelled. Readers count those whose intent expired, because expiry has no event. */
  cancelledSelections: count(t),
}));

/** One row is one registered solver. Its counters are in `solver_activity` under its operator. */
export const solver = onchainTable(
  "solver",
  (t) => ({
    solverId: t.bigint().primaryKey(),
    operator: hex(t).notNull(),
    metadataUri: t.varchar().notNull(),
    capabilitiesHash: hex(t).notNull(),
    bond: t.bigint().notNull(),
    active: t.boolean().notNull(),
    blockNumber: madeInBlock(t),
  }),
  (table) => ({
    byOperator: index().on(table.operator, table.solverId),
    byActive: index().on(table.active, table.solverId),
  }),
);

// Commerce

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
  (table) => ({ byActive: index().on(table.active, table.facilitatorId) }),
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
    settledAt: ofBlock(t).notNull(),
    blockNumber: madeInBlock(t),
    txHash: hex(t).notNull(),
  }),
  (table) => ({
    byAgent: index().on(table.agent, table.receiptId),
    byMerchant: index().on(table.merchantId, table.receiptId),
    byQuote: index().on(table.quoteHash),
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
    merchantId: t.bigint(),
    status: t.varchar({ enum: disputeStatuses }).notNull(),
    opener: hex(t).notNull(),
    reasonHash: hex(t).notNull(),
    resolutionHash: hex(t),
    blockNumber: madeInBlock(t),
  }),
  (table) => ({ byReceipt: index().on(table.receiptId, table.disputeId) }),
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

// Running totals, so that the cost of a read does not grow with the number of rows

/** The subjects of running totals. The comments give the meaning of `key` and `marked`. */
export const totalSubjects = [
  // Overall (the key is empty). Marked: active rows; for quotes, settled ones.
  "merchants",
  "services",
  "facilitators",
  "quotes",
  // Receipts. The key is in the name. Marked, by merchant only: fulfilled receipts.
  "receipts_by_token",
  "receipts_by_merchant",
  "receipts_by_service",
  "receipts_by_facilitator",
  "receipts_by_payment_rail",
  // Disputes by status, and by the receipt's merchant and status.
  "disputes_by_status",
  "disputes_by_merchant",
  // Trust signals by kind, and by subject type, subject id and kind.
  "signals_by_kind",
  "signals_by_subject",
  // Attestations by attester address, registered as an attestor or not. Marked: revoked attestations.
  "attestations_by_attester",
] as const;

/** One row is one running total. Rows are narrow, because every change rewrites the row. */
export const total = onchainTable(
  "total",
  (t) => ({
    subject: t.varchar({ enum: totalSubjects }).notNull(),
    /** An address, a decimal id, several values joined with "-", or "". */
    key: t.varchar().notNull(),
    count: count(t),
    marked: count(t),
    /** For quotes and receipts, the sum of their amounts. */
    volume: sum(t),
    protocolFees: sum(t),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.subject, table.key] }),
    largest: index().on(table.subject, table.volume.desc().nullsFirst(), table.key),
  }),
);
