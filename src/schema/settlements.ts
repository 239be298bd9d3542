import { index, onchainTable, primaryKey } from "ponder";
import { count, hex, madeInBlock, ofBlock } from "./columns";

/**
 * One row is one settlement instruction that was executed. Executing it again counts in `executions` and keeps its position
 * in lists. Its quote need not exist.
 */
export const settlement = onchainTable(
  "settlement",
  (t) => ({
    executionHash: hex(t).primaryKey(),
    quoteHash: hex(t).notNull(),
    settlementPlanHash: hex(t).notNull(),
    payer: hex(t).notNull(),
    token: hex(t).notNull(),
    grossAmount: t.bigint().notNull(),
    /** The deadline and the lines are in the calldata. Null if no direct call had them. */
    deadline: t.bigint(),
    /** {@link SettlementLine}s as JSON text, because no query reads inside it. */
    lines: t.varchar(),
    executions: count(t),
    executedAt: ofBlock(t).notNull(),
    logIndex: t.integer().notNull(),
    blockNumber: madeInBlock(t),
    txHash: hex(t).notNull(),
  }),
  (table) => ({
    newest: index().on(table.blockNumber, table.logIndex),
    byQuote: index().on(table.quoteHash, table.blockNumber, table.logIndex),
    byPayer: index().on(table.payer, table.blockNumber, table.logIndex),
    byToken: index().on(table.token, table.blockNumber, table.logIndex),
    byPlan: index().on(table.settlementPlanHash, table.blockNumber, table.logIndex),
  }),
);

/** The first receipt of a quote with a result hash. A settlement with that hash proves this receipt, and no later one. */
export const settlementClaim = onchainTable(
  "settlement_claim",
  (t) => ({
    quoteHash: hex(t).notNull(),
    resultHash: hex(t).notNull(),
    receiptId: t.bigint().notNull(),
    /** The payout address of the merchant when the receipt was recorded. */
    payoutAddress: hex(t).notNull(),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.quoteHash, table.resultHash] }) }),
);
