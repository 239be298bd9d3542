import { z } from "zod";
import { REINDEX_COMMAND, REORG_PROBLEM } from "../config/reindex";

/** Ponder's log message for a reorg that it can't revert. Ponder then retries forever. */
export const PONDER_REORG_MESSAGE = "Encountered unrecoverable reorg";

const REORG = "A reorg replaced finalized blocks, and the index contains rows of the orphaned ones.";

/** The message for the operator. */
export const REORG_SENTENCE = `${REORG} Run ${REINDEX_COMMAND}: it rebuilds the index from the cached blocks that are still on the chain.`;

/** The message on the chain of `npm start`, which ends with it, so that nothing could be compared with the cache. */
export const LOCAL_REORG_SENTENCE = `${REORG} Run npm start again: it creates a new chain and a new index.`;

/** The stack's exit code after such a reorg, for process supervisors. */
export const REORG_EXIT_CODE = 75;

const LogLine = z.union([
  z.object({ msg: z.literal(PONDER_REORG_MESSAGE) }),
  // The gateway compares the index with the chain. It also detects a reorg that happened while no indexer was running.
  z.object({ problem: z.literal(REORG_PROBLEM) }),
]);

/** Whether a line of the indexer's or the gateway's JSON log reports a reorg beyond finality. */
export function isUnrecoverableReorg(logLine: string): boolean {
  if (!logLine.includes(PONDER_REORG_MESSAGE) && !logLine.includes(REORG_PROBLEM)) return false;
  try {
    return LogLine.safeParse(JSON.parse(logLine)).success;
  } catch {
    return false;
  }
}
