/** The command that rebuilds the index. It reuses cached blocks that are still canonical. */
export const REINDEX_COMMAND = "npm run reindex";

/** The identifier of an unrecoverable reorg in the gateway's log: one that the indexer can't revert. */
export const REORG_PROBLEM = "reorg-beyond-finality";

const REORG = "A reorg replaced finalized blocks, and the index contains rows of the orphaned ones.";

const REPAIR = `${REORG} Run ${REINDEX_COMMAND}: it rebuilds the index from the cached blocks that are still on the chain.`;

/** On the chain of `npm start`, which ends with it, so that nothing could be compared with the cache. */
const LOCAL_REPAIR = `${REORG} Run npm start again: it creates a new chain and a new index.`;

/** What the operator must do after a reorg beyond finality. */
export const reorgSentence = (networkName: string): string => (networkName === "local" ? LOCAL_REPAIR : REPAIR);
