import { index, onchainTable, primaryKey } from "ponder";
import { hex, madeInBlock, ofBlock } from "./columns";

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
    byDeadline: index().on(table.status, table.deadline, table.intentId),
    earliestDeadline: index().on(table.deadline, table.intentId),
    // Finds the first and the last intent of a range of times, since ids are in the order of time.
    bySubmittedAt: index().on(table.submittedAt, table.intentId),
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
    // Bids have no order of their own across intents.
    newest: index().on(table.createdAt, table.intentId, table.bidId),
    bySolver: index().on(table.solver, table.createdAt, table.intentId, table.bidId),
  }),
);

/** One row is one bid that the intent's owner selected. A later selection may have replaced it. */
export const bidSelection = onchainTable(
  "bid_selection",
  (t) => ({
    intentId: t.bigint().notNull(),
    bidId: t.bigint().notNull(),
    /** The time of the latest selection of this bid. */
    selectedAt: ofBlock(t).notNull(),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.intentId, table.bidId] }) }),
);

/** One row is the fill of an intent. An intent has at most one fill. */
export const fill = onchainTable(
  "fill",
  (t) => ({
    intentId: t.bigint().primaryKey(),
    /** Owner and tokens are those of the intent. */
    owner: hex(t).notNull(),
    solver: hex(t).notNull(),
    inputToken: hex(t).notNull(),
    outputToken: hex(t).notNull(),
    amountIn: t.bigint().notNull(),
    amountOut: t.bigint().notNull(),
    /** The bid that was selected when the intent was filled. */
    bidId: t.bigint(),
    filledAt: ofBlock(t).notNull(),
    blockNumber: madeInBlock(t),
    txHash: hex(t).notNull(),
  }),
  (table) => ({
    newest: index().on(table.filledAt, table.intentId),
    bySolver: index().on(table.solver, table.filledAt, table.intentId),
    byOwner: index().on(table.owner, table.filledAt, table.intentId),
    byInputToken: index().on(table.inputToken, table.filledAt, table.intentId),
    byOutputToken: index().on(table.outputToken, table.filledAt, table.intentId),
  }),
);

/** One row is the proof of a fill. The contract emits it as a separate event. */
export const fillProof = onchainTable("fill_proof", (t) => ({
  intentId: t.bigint().primaryKey(),
  resultHash: hex(t).notNull(),
  traceHash: hex(t).notNull(),
  attestationId: t.bigint().notNull(),
}));
