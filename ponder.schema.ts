import { index, onchainTable, primaryKey } from "ponder";

// Conventions. Amounts and ids are uint256 and fit `bigint()` (numeric(78)). Sums of amounts may exceed uint256, so they
// are unbounded `numeric` ({@link sum}). Addresses and hashes are lowercase hex. Times are unix seconds of the block.
// No primary key has an integer column: Ponder prefetches rows by keys that it guesses from an event's arguments, and a
// guess that does not fit the column's type (a uint256, a text) would be a failing query, and the end of the indexer.
// Strings come from the chain with NUL replaced; they may be empty or very long, so none of them is in an index.

type Columns = Parameters<Extract<Parameters<typeof onchainTable>[1], (...args: never) => unknown>>[0];

/** A total of amounts: anyone can commit amounts of 2^256 − 1, and two of those overflow any fixed width. */
const sum = (t: Columns) => t.numeric({ mode: "bigint" }).notNull().default(0n);

/** A number of rows. */
const count = (t: Columns) => t.integer().notNull().default(0);

/** The block of the event that made a row. */
const madeInBlock = (t: Columns) => t.bigint().notNull();

// Event log

/** One row is one protocol event, of whatever contract, in the order of the chain. */
export const eventLog = onchainTable(
  "event_log",
  (t) => ({
    /** `<block number>-<log index>` */
    id: t.text().primaryKey(),
    blockNumber: t.bigint().notNull(),
    logIndex: t.integer().notNull(),
    blockHash: t.hex().notNull(),
    blockTimestamp: t.bigint().notNull(),
    txHash: t.hex().notNull(),
    /** The protocol's name of the contract, such as `IntentBook`. */
    contract: t.varchar().notNull(),
    name: t.varchar().notNull(),
    /**
     * The decoded arguments by name, as JSON text; integers wider than a JavaScript number are decimal strings. Text, not
     * jsonb: nothing looks into it in SQL, and Ponder would parse and print every jsonb value twice more; and varchar, which
     * it does not search for NUL (the arguments have none).
     */
    args: t.varchar().notNull(),
  }),
  (table) => ({
    inOrder: index().on(table.blockNumber, table.logIndex),
    byTransaction: index().on(table.txHash, table.logIndex),
    byName: index().on(table.name, table.blockNumber, table.logIndex),
  }),
);

// Agents

/** One row is one registered agent, revoked ones included. */
export const agent = onchainTable(
  "agent",
  (t) => ({
    agentId: t.bigint().primaryKey(),
    owner: t.hex().notNull(),
    metadataUri: t.text().notNull(),
    /** Bytes of any length, as hex; not necessarily a key. */
    pubkey: t.hex().notNull(),
    capabilitiesHash: t.hex().notNull(),
    revoked: t.boolean().notNull(),
    blockNumber: madeInBlock(t),
  }),
  (table) => ({ byOwner: index().on(table.owner, table.agentId) }),
);

// Intents, bids, fills

/** One row is one signed intent as it was submitted, with what became of it. */
export const intent = onchainTable(
  "intent",
  (t) => ({
    intentId: t.bigint().primaryKey(),
    owner: t.hex().notNull(),
    /** Index into the contract's `IntentType`. */
    intentType: t.integer().notNull(),
    amountInMax: t.bigint().notNull(),
    amountOutMin: t.bigint().notNull(),
    deadline: t.bigint().notNull(),
    slippageBps: t.integer().notNull(),
    /** What the owner committed the execution to; zero means no commitment. */
    executionTarget: t.hex().notNull(),
    executionDataHash: t.hex().notNull(),
    requiredAttestationSubject: t.hex().notNull(),
    requiredAttestationSchema: t.hex().notNull(),
    metadataUriHash: t.hex().notNull(),
    inputToken: t.hex().notNull(),
    outputToken: t.hex().notNull(),
    nonce: t.bigint().notNull(),
    /** The EIP-712 struct hash, which a client knows before it submits. */
    intentHash: t.hex().notNull(),
    /** As stored on chain: an intent past its deadline stays OPEN, and readers derive EXPIRED. */
    status: t.text({ enum: ["OPEN", "FILLED", "CANCELLED"] }).notNull(),
    /** The selected bid and its solver; null until the owner selects one. */
    selectedBidId: t.bigint(),
    selectedSolver: t.hex(),
    submittedAt: t.bigint().notNull(),
    blockNumber: madeInBlock(t),
    txHash: t.hex().notNull(),
  }),
  (table) => ({
    byHash: index().on(table.intentHash),
    byOwner: index().on(table.owner, table.intentId),
    byStatus: index().on(table.status, table.intentId),
    byInputToken: index().on(table.inputToken, table.intentId),
    byOutputToken: index().on(table.outputToken, table.intentId),
    bySelectedSolver: index().on(table.selectedSolver, table.status, table.deadline),
  }),
);

/** One row is one bid of a solver; `bidId` counts from 1 within each intent. */
export const bid = onchainTable(
  "bid",
  (t) => ({
    intentId: t.bigint().notNull(),
    bidId: t.bigint().notNull(),
    solver: t.hex().notNull(),
    amountIn: t.bigint().notNull(),
    amountOut: t.bigint().notNull(),
    fee: t.bigint().notNull(),
    validUntil: t.bigint().notNull(),
    executionHash: t.hex().notNull(),
    /** At most one bid of an intent is SELECTED; REJECTED is one that was selected before. Readers derive EXPIRED. */
    status: t.text({ enum: ["OPEN", "SELECTED", "REJECTED"] }).notNull(),
    createdAt: t.bigint().notNull(),
    blockNumber: madeInBlock(t),
    txHash: t.hex().notNull(),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.intentId, table.bidId] }),
    bestFirst: index().on(table.intentId, table.amountOut.desc(), table.amountIn, table.fee, table.bidId),
    bySolver: index().on(table.solver),
  }),
);

/** One row is the fill of an intent; an intent is filled once at most. */
export const fill = onchainTable(
  "fill",
  (t) => ({
    intentId: t.bigint().primaryKey(),
    solver: t.hex().notNull(),
    amountIn: t.bigint().notNull(),
    amountOut: t.bigint().notNull(),
    /** The bid that was selected when the intent was filled. */
    bidId: t.bigint(),
    /** The proof follows in an event of its own, in the same transaction. */
    resultHash: t.hex(),
    traceHash: t.hex(),
    attestationId: t.bigint(),
    filledAt: t.bigint().notNull(),
    blockNumber: madeInBlock(t),
    txHash: t.hex().notNull(),
  }),
  (table) => ({ bySolver: index().on(table.solver, table.intentId) }),
);

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
 * One row is the present state of one policy of an account. All kinds share the table so that an account's policies
 * are one ordered list; which columns are set follows from `policyType`.
 */
export const policy = onchainTable(
  "policy",
  (t) => ({
    account: t.hex().notNull(),
    policyType: t.text({ enum: policyTypes }).notNull(),
    /** What tells policies of one kind apart: the addresses and the selector it is about, joined with "-"; or "". */
    key: t.text().notNull(),
    /** SPEND_LIMIT, PAYMENT_POLICY; the zero address is the native coin. */
    token: t.hex(),
    /** TARGET_ALLOWLIST, FUNCTION_ALLOWLIST. */
    target: t.hex(),
    /** FUNCTION_ALLOWLIST. */
    selector: t.hex(),
    /** PAYMENT_POLICY: the merchant's address. */
    merchant: t.hex(),
    /** PAYMENT_POLICY. */
    facilitator: t.hex(),
    /** GUARDIAN. */
    guardian: t.hex(),
    /** TARGET_ALLOWLIST, FUNCTION_ALLOWLIST, PAYMENT_POLICY: allowed. FUNCTION_ALLOWLIST_MODE: on. ACCOUNT_FROZEN: frozen. */
    enabled: t.boolean(),
    /** PAYMENT_POLICY. */
    maxPerPayment: t.bigint(),
    /** SPEND_LIMIT, PAYMENT_POLICY; 0 is no limit. */
    maxPerDay: t.bigint(),
    /** SPEND_LIMIT, PAYMENT_POLICY: spent in the window that began at `lastReset`; 0 once 86400 s have passed since. */
    spentToday: t.bigint(),
    lastReset: t.bigint(),
    /** The block in which the policy was last set (spending does not count). */
    blockNumber: t.bigint().notNull(),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.account, table.policyType, table.key] }) }),
);

// Attestations, attestors, solvers

/** One row is one attestation, revoked ones included. */
export const attestation = onchainTable(
  "attestation",
  (t) => ({
    attestationId: t.bigint().primaryKey(),
    attester: t.hex().notNull(),
    schemaHash: t.hex().notNull(),
    subject: t.hex().notNull(),
    dataHash: t.hex().notNull(),
    timestamp: t.bigint().notNull(),
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

/** One row is what one address attested, whether or not it is (yet) the operator of an attestor. */
export const attesterActivity = onchainTable("attester_activity", (t) => ({
  attester: t.hex().primaryKey(),
  attestations: count(t),
  revokedAttestations: count(t),
}));

/** One row is one registered attestor. Its counters are in `attester_activity` under its operator. */
export const attestor = onchainTable(
  "attestor",
  (t) => ({
    attestorId: t.bigint().primaryKey(),
    operator: t.hex().notNull(),
    metadataUri: t.text().notNull(),
    schemasHash: t.hex().notNull(),
    active: t.boolean().notNull(),
    blockNumber: madeInBlock(t),
  }),
  (table) => ({
    byOperator: index().on(table.operator, table.attestorId),
    byActive: index().on(table.active, table.attestorId),
  }),
);

/** One row is what one address did as a solver, whether or not it is (yet) the operator of a registered solver. */
export const solverActivity = onchainTable("solver_activity", (t) => ({
  solver: t.hex().primaryKey(),
  fills: count(t),
  /** Sum over fills of fill block − submission block. */
  latencyBlocks: sum(t),
  /** Sum over fills of amountOut − the intent's amountOutMin. */
  surplusOut: sum(t),
  /** Selected bids whose intent was cancelled. Those whose intent expired are counted when read: expiry has no event. */
  cancelledSelections: count(t),
}));

/** One row is one registered solver. Its counters are in `solver_activity` under its operator. */
export const solver = onchainTable(
  "solver",
  (t) => ({
    solverId: t.bigint().primaryKey(),
    operator: t.hex().notNull(),
    metadataUri: t.text().notNull(),
    capabilitiesHash: t.hex().notNull(),
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
    owner: t.hex().notNull(),
    payoutAddress: t.hex().notNull(),
    metadataUri: t.text().notNull(),
    metadataHash: t.hex().notNull(),
    active: t.boolean().notNull(),
    blockNumber: madeInBlock(t),
  }),
  (table) => ({
    byOwner: index().on(table.owner, table.merchantId),
    byActive: index().on(table.active, table.merchantId),
  }),
);

/** One row is one service of a merchant; `serviceId` is the merchant's own name for it and need not be unique. */
export const service = onchainTable(
  "service",
  (t) => ({
    serviceNumericId: t.bigint().primaryKey(),
    merchantId: t.bigint().notNull(),
    serviceId: t.text().notNull(),
    metadataUri: t.text().notNull(),
    metadataHash: t.hex().notNull(),
    capabilityHash: t.hex().notNull(),
    active: t.boolean().notNull(),
    blockNumber: madeInBlock(t),
  }),
  (table) => ({
    byMerchant: index().on(table.merchantId, table.serviceNumericId),
    byCapability: index().on(table.capabilityHash, table.serviceNumericId),
    byActive: index().on(table.active, table.serviceNumericId),
  }),
);

/** One row is one facilitator; registering its address again keeps the id. */
export const facilitator = onchainTable(
  "facilitator",
  (t) => ({
    facilitatorId: t.bigint().primaryKey(),
    facilitator: t.hex().notNull(),
    metadataUri: t.text().notNull(),
    metadataHash: t.hex().notNull(),
    active: t.boolean().notNull(),
    blockNumber: madeInBlock(t),
  }),
  (table) => ({ byActive: index().on(table.active, table.facilitatorId) }),
);

/** One row is one quote; committing the same quote again makes it unsettled again and keeps its place. */
export const quote = onchainTable(
  "quote",
  (t) => ({
    quoteHash: t.hex().primaryKey(),
    merchantId: t.bigint().notNull(),
    serviceNumericId: t.bigint().notNull(),
    agent: t.hex().notNull(),
    token: t.hex().notNull(),
    facilitator: t.hex().notNull(),
    amount: t.bigint().notNull(),
    paymentRail: t.integer().notNull(),
    protocolFeeBps: t.integer().notNull(),
    protocolFeeAmount: t.bigint().notNull(),
    expiresAt: t.bigint().notNull(),
    paymentNonce: t.bigint().notNull(),
    resourceHash: t.hex().notNull(),
    termsHash: t.hex().notNull(),
    x402PayloadHash: t.hex().notNull(),
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
    quoteHash: t.hex().notNull(),
    agent: t.hex().notNull(),
    merchantId: t.bigint().notNull(),
    serviceNumericId: t.bigint().notNull(),
    token: t.hex().notNull(),
    amount: t.bigint().notNull(),
    paymentRail: t.integer().notNull(),
    protocolFeeBps: t.integer().notNull(),
    protocolFeeAmount: t.bigint().notNull(),
    facilitator: t.hex().notNull(),
    resultHash: t.hex().notNull(),
    resourceHash: t.hex().notNull(),
    /** Null until fulfilled; the latest of several fulfilments. */
    fulfillmentHash: t.hex(),
    settledAt: t.bigint().notNull(),
    blockNumber: madeInBlock(t),
    txHash: t.hex().notNull(),
  }),
  (table) => ({
    byAgent: index().on(table.agent, table.receiptId),
    byMerchant: index().on(table.merchantId, table.receiptId),
    byQuote: index().on(table.quoteHash),
  }),
);

/** The contract's `DisputeStatus`, in its order. */
export const disputeStatuses = ["OPEN", "RESOLVED", "REJECTED"] as const;

/** One row is one dispute; it may be decided again, and the latest outcome holds. */
export const dispute = onchainTable(
  "dispute",
  (t) => ({
    disputeId: t.bigint().primaryKey(),
    receiptId: t.bigint().notNull(),
    merchantId: t.bigint(),
    status: t.text({ enum: disputeStatuses }).notNull(),
    opener: t.hex().notNull(),
    reasonHash: t.hex().notNull(),
    resolutionHash: t.hex(),
    blockNumber: madeInBlock(t),
  }),
  (table) => ({ byReceipt: index().on(table.receiptId, table.disputeId) }),
);

/** One row is one trust signal; its subject need not exist. */
export const trustSignal = onchainTable(
  "trust_signal",
  (t) => ({
    signalId: t.bigint().primaryKey(),
    subjectType: t.integer().notNull(),
    subjectId: t.bigint().notNull(),
    kind: t.integer().notNull(),
    reporter: t.hex().notNull(),
    signalHash: t.hex().notNull(),
    blockNumber: madeInBlock(t),
  }),
  (table) => ({
    bySubject: index().on(table.subjectType, table.subjectId, table.signalId),
    bySubjectId: index().on(table.subjectId, table.signalId),
    byKind: index().on(table.kind, table.signalId),
    byReporter: index().on(table.reporter, table.signalId),
  }),
);

// Running totals, so that reading them costs the same at a million receipts

/** The one row (`id` is "all") of totals over all of commerce. */
export const commerceTotals = onchainTable("commerce_totals", (t) => ({
  id: t.text().primaryKey(),
  merchants: count(t),
  activeMerchants: count(t),
  services: count(t),
  activeServices: count(t),
  facilitators: count(t),
  activeFacilitators: count(t),
  quotes: count(t),
  settledQuotes: count(t),
  quotedVolume: sum(t),
  quotedProtocolFees: sum(t),
  receipts: count(t),
  settledVolume: sum(t),
  settledProtocolFees: sum(t),
  disputes: count(t),
  openDisputes: count(t),
  resolvedDisputes: count(t),
  rejectedDisputes: count(t),
}));

export const volumeDimensions = ["token", "merchant", "service", "facilitator", "payment_rail"] as const;

/** One row is the settled volume of one value of one dimension: of one token, one merchant, one payment rail… */
export const commerceVolume = onchainTable(
  "commerce_volume",
  (t) => ({
    dimension: t.text({ enum: volumeDimensions }).notNull(),
    /** An address, or an id in decimal digits. */
    key: t.text().notNull(),
    receipts: count(t),
    settledVolume: sum(t),
    protocolFees: sum(t),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.dimension, table.key] }),
    largest: index().on(table.dimension, table.settledVolume.desc(), table.key),
  }),
);

/** One row is what came of a merchant's receipts. Their number and volume are in `commerce_volume`. */
export const merchantRecord = onchainTable("merchant_record", (t) => ({
  merchantId: t.bigint().primaryKey(),
  fulfilledReceipts: count(t),
  disputes: count(t),
  openDisputes: count(t),
  resolvedDisputes: count(t),
  rejectedDisputes: count(t),
}));

/** One row is the number of trust signals of one kind about one subject. */
export const subjectSignals = onchainTable(
  "subject_signals",
  (t) => ({
    subjectType: t.bigint().notNull(),
    subjectId: t.bigint().notNull(),
    kind: t.bigint().notNull(),
    signals: count(t),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.subjectType, table.subjectId, table.kind] }) }),
);

/** One row is the number of all trust signals of one kind. */
export const signalKind = onchainTable("signal_kind", (t) => ({
  kind: t.bigint().primaryKey(),
  signals: count(t),
}));
