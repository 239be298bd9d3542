/** The command that rebuilds the index from the cached blocks that are still on the chain. */
export const REINDEX_COMMAND = "npm run reindex";
