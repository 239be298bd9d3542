import { REINDEX_COMMAND } from "../config/reindex";

/** The message with which Ponder logs a reorg that it can't revert. It then retries for ever. */
export const PONDER_REORG_MESSAGE = "Encountered unrecoverable reorg";

/** What to tell the operator. */
export const REORG_SENTENCE = `The chain replaced blocks that were final, and the index holds rows of the old ones. Run ${REINDEX_COMMAND}: it rebuilds the index from the cached blocks that are still on the chain.`;

/** The exit code of a stack that stops because of such a reorg, for supervisors. */
export const REORG_EXIT_CODE = 75;

/** Whether a line of Ponder's JSON log says that it met a reorg beyond finality. */
export function isUnrecoverableReorg(logLine: string): boolean {
  if (!logLine.includes(PONDER_REORG_MESSAGE)) return false;
  try {
    const line: unknown = JSON.parse(logLine);
    return typeof line === "object" && line !== null && "msg" in line && line.msg === PONDER_REORG_MESSAGE;
  } catch {
    return false;
  }
}
