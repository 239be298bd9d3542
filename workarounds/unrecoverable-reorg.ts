/** Ponder's log message for a reorg that it can't revert. It then retries forever. */
export const PONDER_REORG_MESSAGE = "Encountered unrecoverable reorg";

type Warn = (entry: { msg: string }, ...rest: unknown[]) => void;

declare global {
  /** Ponder sets it before it loads the configuration. It is not set in other programs. */
  var PONDER_COMMON: { logger: { warn: Warn }; shutdown: { kill: () => Promise<unknown> } } | undefined;
}

/** Ponder aborts its own graceful shutdown after the same time. */
const SHUTDOWN_MS = 5_000;

/**
 * Workaround of Ponder 0.16.10: docs/upstream.md#deep-reorg
 *
 * Calls `onReorg` and ends the process with this exit code when Ponder reports a reorg that it can't revert.
 *
 * Without it, the index would stand still while Ponder's `/ready` is 200. Ponder has no event for it, only a line of its log,
 * so this wraps the private logger.
 *
 * Test: test/system/reorg-exit.test.ts "responds with 503 and the reason, prints the repair command, and exits with its own code"
 */
export function exitAfterUnrecoverableReorg(code: number, onReorg: () => void): void {
  const ponder = globalThis.PONDER_COMMON;
  if (!ponder) return;
  const { warn } = ponder.logger;
  let isStopping = false;
  ponder.logger.warn = (entry, ...rest) => {
    warn(entry, ...rest);
    if (entry.msg !== PONDER_REORG_MESSAGE || isStopping) return;
    isStopping = true;
    onReorg();
    const exit = () => process.exit(code);
    setTimeout(exit, SHUTDOWN_MS);
    // Releases the lock on the schema, which `npm run reindex` needs.
    void ponder.shutdown.kill().finally(exit);
  };
}
