import { z } from "zod";
import { REINDEX_COMMAND, REORG_PROBLEM } from "../config/reindex";

/** The message with which Ponder logs a reorg that it can't revert. It then retries for ever. */
export const PONDER_REORG_MESSAGE = "Encountered unrecoverable reorg";

/** What to tell the operator. */
export const REORG_SENTENCE = `The chain replaced blocks that were final, and the index holds rows of the old ones. Run ${REINDEX_COMMAND}: it rebuilds the index from the cached blocks that are still on the chain.`;

/** The exit code of a stack that stops because of such a reorg, for supervisors. */
export const REORG_EXIT_CODE = 75;

const LogLine = z.union([
  z.object({ msg: z.literal(PONDER_REORG_MESSAGE) }),
  // The gateway compares the index with the chain. It also sees a reorg that happened while no indexer was running.
  z.object({ problem: z.literal(REORG_PROBLEM) }),
]);

/** Whether a line of the indexer's or the gateway's JSON log says that there was a reorg beyond finality. */
export function isUnrecoverableReorg(logLine: string): boolean {
  if (!logLine.includes(PONDER_REORG_MESSAGE) && !logLine.includes(REORG_PROBLEM)) return false;
  try {
    return LogLine.safeParse(JSON.parse(logLine)).success;
  } catch {
    return false;
  }
}
