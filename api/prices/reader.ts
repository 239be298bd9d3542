import type { Logger } from "pino";
import { BaseError } from "viem";
import { repeat } from "../../config/repeat";
import { eventLog } from "../../ponder.schema";
import type { IndexDatabase } from "../indexed/database";
import type { IndexHead } from "../indexed/head";
import { preparedQuery } from "../indexed/prepared-query";
import { databaseProblemOf } from "../indexed/problem";
import type { StoreDatabase } from "../offchain/open";
import { correctPrices, withPriceLock } from "../offchain/token-prices";
import { type Pass, type Priced, readMissingPrices } from "./pass";
import { HOUR } from "./price-of-hour";

/** The maximum duration of the reads of a pass. Meanwhile no other process reads prices. */
const PASS_MS = 30_000;

/** How long after the beginning of an hour its prices are read. By then its first block is usually indexed. */
const AFTER_HOUR_MS = 5_000;
const HOUR_MS = 3_600_000;

type Options = Priced & {
  /** The index, for the time of its first event. */
  db: IndexDatabase;
  /** The newest indexed block. */
  head: () => Promise<IndexHead>;
  store: () => Promise<StoreDatabase>;
  /** The client of the chain. Rejects while all of its nodes are down. */
  client: () => Promise<Pass["client"]>;
  /** The pause while something is left to read. */
  retryMs: number;
  /** The maximum pause otherwise. */
  idleMs: number;
  log: Logger;
};

const selectFirstEvent = preparedQuery((db: IndexDatabase) =>
  db.select({ time: eventLog.blockTimestamp }).from(eventLog).orderBy(eventLog.id).limit(1),
);

const hourAt = (time: bigint) => time - (time % HOUR);

/** Where a failure is logged. viem's full message contains the URL of the node, which may contain a key. */
function report(log: Logger, error: unknown): void {
  const reason = error instanceof BaseError ? { reason: `${error.name}: ${error.shortMessage}` } : { err: error };
  // Before the indexer has created its tables there is nothing to price.
  log[databaseProblemOf(error) === "no-index" ? "debug" : "warn"](reason, "prices could not be read");
}

/**
 * Reads the prices of the chain's tokens from their feeds in the background: for every hour since the first event, the newest
 * first. One process at a time does. A failed read leaves a gap, which a later pass fills.
 *
 * The uptime feed of a rollup's sequencer is not read: while a sequencer is down, its chain has no events to price.
 */
export function startPriceReader(options: Options): { stop: () => Promise<void> } {
  const { db, head, store, client, chainId, multicall3, tokens, retryMs, idleMs, log } = options;
  /** The head up to which nothing is left to read. */
  let done: IndexHead | undefined;
  let seen: Pass["seen"] = [];
  /** Whether the stored prices are those of listed tokens. */
  let isCorrected = false;
  let ending = new AbortController();
  let isStopped = false;

  /** Compares the stored prices with the token list, also while no node answers. Returns whether it could. */
  async function correct(storeDb: StoreDatabase): Promise<boolean> {
    const decimals = new Map([...tokens].map(([address, token]) => [address, token.decimals]));
    const corrected = await withPriceLock(storeDb, chainId, async (transaction) => {
      await correctPrices(transaction, chainId, decimals);
      return true;
    });
    return corrected === true;
  }

  async function readUpTo(newest: bigint): Promise<boolean> {
    const [firstEvent] = await selectFirstEvent(db, {});
    if (!firstEvent) return true;
    ending = new AbortController();
    const { signal } = ending;
    if (isStopped) ending.abort();
    const timer = setTimeout(() => ending.abort(new Error(`The node took more than ${PASS_MS} ms`)), PASS_MS);
    try {
      const storeDb = await store();
      isCorrected ||= await correct(storeDb);
      if (!isCorrected) return false;
      const connected = await client();
      const range = { first: hourAt(firstEvent.time), last: hourAt(newest) };
      const passed = await withPriceLock(storeDb, chainId, (transaction) =>
        readMissingPrices({
          chainId,
          multicall3,
          tokens,
          ...range,
          transaction,
          client: connected,
          seen,
          signal,
        }),
      );
      if (!passed) return false;
      seen = passed.seen;
      if (passed.error !== undefined) throw passed.error;
      return passed.isComplete;
    } finally {
      clearTimeout(timer);
    }
  }

  async function pass(): Promise<void> {
    const newest = await head();
    // Without a new block, or another one in its place, the feeds are the same.
    if (newest === done || newest.timestamp === null) return;
    done = undefined;
    if (await readUpTo(newest.timestamp)) done = newest;
  }

  const untilNextHour = () => HOUR_MS - (Date.now() % HOUR_MS) + AFTER_HOUR_MS;
  const isUpToDate = () => Number(done?.timestamp ?? 0) * 1_000 >= Date.now() - (Date.now() % HOUR_MS);
  const passes = repeat({
    task: pass,
    pauseMs: () => (isUpToDate() ? Math.min(idleMs, untilNextHour()) : retryMs),
    onError: (error) => report(log, error),
  });
  return {
    async stop() {
      isStopped = true;
      ending.abort();
      await passes.stop();
    },
  };
}
