import { index, onchainTable } from "ponder";
import { hex, ofBlock } from "./columns";

/** One row is one protocol event of any of the contracts. */
export const eventLog = onchainTable(
  "event_log",
  (t) => ({
    /** The block number and log index, as formatted by {@link eventId}. Ids sort in chain order. */
    id: t.varchar().primaryKey(),
    blockHash: hex(t).notNull(),
    blockTimestamp: ofBlock(t).notNull(),
    txHash: hex(t).notNull(),
    txFrom: hex(t).notNull(),
    /** Null if the transaction created a contract. */
    txTo: hex(t),
    /** The contract's name in the protocol, such as `IntentBook`. */
    contract: t.varchar().notNull(),
    name: t.varchar().notNull(),
    /**
     * The decoded arguments by name, as JSON text. Integers wider than 48 bits are decimal strings. Text instead of jsonb,
     * because no query reads inside it, and Ponder would parse and serialize every jsonb value twice more.
     */
    args: t.varchar().notNull(),
  }),
  (table) => ({
    byTransaction: index().on(table.txHash, table.id),
    byName: index().on(table.name, table.id),
  }),
);
