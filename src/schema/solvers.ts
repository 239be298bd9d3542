import { index, onchainTable } from "ponder";
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
