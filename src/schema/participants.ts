import { index, onchainTable, primaryKey } from "ponder";
import { count, hex, ofBlock, sum } from "./columns";

// What each participant did, so that windows, rankings and reputations are read without reading events.

/**
 * A participant is identified by an address (agent, facilitator, solver), a decimal id (merchant, service), or the number of
 * a payment rail. `agent` is the address that pays, registered or not.
 */
export const participantKinds = ["agent", "merchant", "service", "facilitator", "payment_rail", "solver"] as const;

/**
 * What is counted. The comments give the token, and the sum in `amount`:
 * - `receipts`: the token paid, the amounts. All kinds but `solver`
 * - `self_receipts`: those of them with one owner or payout address on both sides
 * - `fills`: the intent's input token, the amounts in. `solver`, as all others
 * - `surplus`: the intent's output token, the amounts out beyond the intent's minimum
 * - `surplus_bps`: no token; of fills whose minimum is not zero, the surplus in basis points of the minimum, rounded down
 * - `bids`: no token. On-chain bids
 * - `wins`: no token. Selections, each time the selected solver changes
 * - `cancelled`: no token. Cancelled intents that had selected the solver
 * - `self_fills`, `self_surplus`, `self_wins`: those of the solver's own intents, of `fills`, `surplus` and `wins`
 */
export const participantMetrics = [
  "receipts",
  "self_receipts",
  "fills",
  "surplus",
  "surplus_bps",
  "bids",
  "wins",
  "cancelled",
  "self_fills",
  "self_surplus",
  "self_wins",
] as const;

/** One row is one metric of one participant in one hour. Prices are by hour, so dollar values need these rows. */
export const participantHour = onchainTable(
  "participant_hour",
  (t) => ({
    kind: t.varchar({ enum: participantKinds }).notNull(),
    key: t.varchar().notNull(),
    metric: t.varchar({ enum: participantMetrics }).notNull(),
    /** Empty for metrics without a token. */
    token: t.varchar().notNull(),
    /** The first second of the hour. */
    start: t.bigint().notNull(),
    count: count(t),
    amount: sum(t),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.kind, table.key, table.metric, table.start, table.token] }),
    byHour: index().on(table.kind, table.metric, table.start),
  }),
);

/** One row is the sum of all hours of {@link participantHour}, with the counterparties that are not the participant itself. */
export const participantTotal = onchainTable(
  "participant_total",
  (t) => ({
    kind: t.varchar({ enum: participantKinds }).notNull(),
    key: t.varchar().notNull(),
    metric: t.varchar({ enum: participantMetrics }).notNull(),
    token: t.varchar().notNull(),
    count: count(t),
    /** Receipts, fills and surplus: without those of the participant with itself, so that they can't hide others in `largest`. */
    amount: sum(t),
    /** Receipts and fills: the counterparties in this token, and the sum of what `creditOf` (common/rows/credit.ts) gives for each. */
    counterparties: count(t),
    credit: count(t),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.kind, table.key, table.metric, table.token] }),
    largest: index().on(table.kind, table.metric, table.token, table.amount.desc().nullsFirst(), table.key),
  }),
);

/**
 * One row is what one participant did with one counterparty in one token. Counterparties are agents for merchants, services
 * and facilitators, merchants for agents, and intent owners for solvers. Payment rails have none.
 */
export const counterparty = onchainTable(
  "counterparty",
  (t) => ({
    kind: t.varchar({ enum: participantKinds }).notNull(),
    key: t.varchar().notNull(),
    token: t.varchar().notNull(),
    counterparty: t.varchar().notNull(),
    /** Receipts by the proof of their payment. Fills count as settlements. */
    settlements: count(t),
    facilitated: count(t),
    claims: count(t),
    /**
     * Whether one owner or payout address has been on both sides: the agent is the merchant's owner or payout address, or the
     * solver is the owner of the intent. Such a counterparty gives no credit.
     */
    isSelf: t.boolean().notNull(),
    /** The time of the last receipt or fill. */
    last: ofBlock(t).notNull(),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.kind, table.key, table.token, table.counterparty] }) }),
);

/** One row counts the fills of one solver that took a number of blocks, in one hour; or in all time, with `start` -1. */
export const fillLatency = onchainTable(
  "fill_latency",
  (t) => ({
    solver: hex(t).notNull(),
    start: t.bigint().notNull(),
    blocks: t.bigint().notNull(),
    count: count(t),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.solver, table.start, table.blocks] }) }),
);
