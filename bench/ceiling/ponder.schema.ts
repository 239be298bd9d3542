import { onchainTable } from "ponder";

export { eventLog } from "../../ponder.schema";

/** One row is one event, and hardly says which: the least that an app which inserts anything at all can do. */
export const bareEvent = onchainTable("bare_event", (t) => ({
  id: t.text().primaryKey(),
  blockNumber: t.bigint().notNull(),
  txHash: t.hex().notNull(),
  name: t.text().notNull(),
}));
