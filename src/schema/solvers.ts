import { index, onchainTable, primaryKey } from "ponder";
import { count, hex, madeInBlock, sum } from "./columns";

/** One row is the activity of one solver address, registered or not. */
export const solverActivity = onchainTable(
  "solver_activity",
  (t) => ({
    solver: hex(t).primaryKey(),
    fills: count(t),
    /** Sum over fills of fill block − submission block. */
    latencyBlocks: sum(t),
    /** Sum over fills of amountOut − the intent's amountOutMin. */
    surplusOut: sum(t),
    /** Selected bids whose intent is not filled. Readers subtract those whose intent is open, because expiry has no event. */
    unfilledSelections: count(t),
  }),
  (table) => ({ mostFills: index().on(table.fills.desc().nullsFirst(), table.solver) }),
);

/**
 * One row counts the OPEN intents that selected a bid of one solver and have their deadline in one hour. Readers add the later
 * hours, and count the intents of the current hour only.
 */
export const openSelection = onchainTable(
  "open_selection",
  (t) => ({
    solver: hex(t).notNull(),
    /** The first second of the hour. */
    deadlineHour: t.bigint().notNull(),
    count: count(t),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.solver, table.deadlineHour] }),
    // Has all columns, so that the table itself is not read.
    counts: index().on(table.solver, table.deadlineHour, table.count),
  }),
);

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
    byCapabilities: index().on(table.capabilitiesHash, table.solverId),
    byActive: index().on(table.active, table.solverId),
  }),
);
