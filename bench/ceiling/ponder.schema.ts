import { onchainTable } from "ponder";

export { eventLog } from "../../ponder.schema";

/** One row is one event with minimal columns: the least work for an app that inserts a row per event. */
export const bareEvent = onchainTable("bare_event", (t) => ({
  id: t.text().primaryKey(),
  blockNumber: t.bigint().notNull(),
  txHash: t.hex().notNull(),
  name: t.text().notNull(),
}));
