import { onchainTable, primaryKey } from "ponder";
import { sum } from "./columns";

/** The metrics of time series: counts of new rows, and the amounts of fills and receipts. */
export const activityMetrics = [
  "agents",
  "intents",
  "bids",
  "fills",
  "fill_volume",
  "attestations",
  "merchants",
  "services",
  "receipts",
  "receipt_volume",
  "disputes",
] as const;

/**
 * One row is the activity of one metric in one hour or one day of UTC. Only intervals with activity have rows. Weeks have
 * none, because a reader sums seven days.
 */
export const activity = onchainTable(
  "activity",
  (t) => ({
    metric: t.varchar({ enum: activityMetrics }).notNull(),
    /** The token of a volume. Empty for counts. */
    token: t.varchar().notNull(),
    interval: t.varchar({ enum: ["hour", "day"] }).notNull(),
    /** The first second of the interval. */
    start: t.bigint().notNull(),
    /** The number of events, or the sum of their amounts. */
    value: sum(t),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.metric, table.token, table.interval, table.start] }) }),
);
