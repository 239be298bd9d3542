import { onchainTable } from "ponder";

/** One row is one event: the least that an indexer which keeps anything at all can do. */
export const event = onchainTable("event", (t) => ({
  id: t.text().primaryKey(),
  blockNumber: t.bigint().notNull(),
  txHash: t.hex().notNull(),
  name: t.text().notNull(),
}));
