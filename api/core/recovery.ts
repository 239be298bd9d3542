import { setTimeout } from "node:timers/promises";
import { steadyTime } from "../../config/steady-time";
import type { IndexHead } from "../indexed/head";
import type { SharedRead } from "../indexed/shared-read";
import { Unavailable } from "./errors";

/** How long a read waits for a restarted indexer, and how often it looks. */
const WAIT_MS = 10_000;
const POLL_MS = 100;

/** After this time a lower block is accepted: the chain itself may have become shorter. */
const ACCEPT_MS = 60_000;

const RETRY_SECONDS = 2;

type Recovery = { block: bigint; since: number };

/**
 * Workaround of Ponder 0.16.10: docs/upstream.md#rollback-at-start
 *
 * Makes reads wait while a restarted indexer recovers. Ponder then rolls back to the last finalized block and indexes the rest
 * again. Without this, rows that were served are missing for some seconds. Reads continue once the index has reached the block
 * that was served before, or fail with 503.
 *
 * Test: test/unit/recovery.test.ts "wait until the index has reached the block that was served"
 */
export function waitForRecovery(head: SharedRead<IndexHead>, now = steadyTime): SharedRead<IndexHead> {
  let build: string | undefined;
  let served = 0n;
  let recovery: Recovery | undefined;
  /** The last head that may be served. Many requests share it. */
  let accepted: IndexHead | undefined;

  const observe = (value: IndexHead): boolean => {
    if (value !== accepted) accepted = mayServe(value) ? value : undefined;
    return accepted !== undefined;
  };

  const mayServe = ({ revision, isComplete, block }: IndexHead): boolean => {
    const [servedBuild] = revision.split(" ");
    if (servedBuild !== build) {
      build = servedBuild;
      served = 0n;
      recovery = undefined;
    }
    if (isComplete && block !== null && !recovery) {
      if (block > served) served = block;
      return true;
    }
    // The first backfill has nothing to recover. Its progress is served.
    if (served === 0n) return true;
    recovery ??= { block: served, since: now() };
    if (!isComplete || block === null) return false;
    if (block < recovery.block && now() - recovery.since < ACCEPT_MS) return false;
    recovery = undefined;
    served = block;
    return true;
  };

  const wait = async (first: Promise<IndexHead>): Promise<IndexHead> => {
    const deadline = now() + WAIT_MS;
    for (let reading = first; ; reading = head.read()) {
      const value = await reading;
      if (observe(value)) return value;
      if (now() >= deadline)
        throw new Unavailable("The indexer has restarted and is catching up; try again shortly", {
          retryAfterSeconds: RETRY_SECONDS,
        });
      await setTimeout(POLL_MS);
    }
  };

  /** The last read, and the wait that its callers share. */
  let shared: { reading: Promise<IndexHead>; waiting: Promise<IndexHead> } | undefined;
  return {
    peek(at) {
      const value = head.peek(at);
      return value && observe(value) ? value : undefined;
    },
    read() {
      const reading = head.read();
      if (shared?.reading !== reading) shared = { reading, waiting: wait(reading) };
      return shared.waiting;
    },
  };
}
