import { index, onchainTable } from "ponder";
import { hex, madeInBlock } from "./columns";

/** One row is one registered agent, active or revoked. */
export const agent = onchainTable(
  "agent",
  (t) => ({
    agentId: t.bigint().primaryKey(),
    owner: hex(t).notNull(),
    metadataUri: t.varchar().notNull(),
    /** Hex bytes of any length. The contract does not check that they are a key. */
    pubkey: hex(t).notNull(),
    capabilitiesHash: hex(t).notNull(),
    revoked: t.boolean().notNull(),
    blockNumber: madeInBlock(t),
  }),
  (table) => ({
    byOwner: index().on(table.owner, table.agentId),
    byCapabilities: index().on(table.capabilitiesHash, table.agentId),
  }),
);
