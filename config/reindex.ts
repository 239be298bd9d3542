/** The command that rebuilds the index. It reuses cached blocks that are still canonical. */
export const REINDEX_COMMAND = "npm run reindex";

/** The identifier of an unrecoverable reorg in the gateway's log: one that the indexer can't revert. */
export const REORG_PROBLEM = "reorg-beyond-finality";
