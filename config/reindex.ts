/** The command that rebuilds the index from the cached blocks that are still on the chain. */
export const REINDEX_COMMAND = "npm run reindex";

/** How the gateway's log names a reorg that the indexer can't revert. */
export const REORG_PROBLEM = "reorg-beyond-finality";
