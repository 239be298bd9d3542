import type { Logger } from "pino";
import { BlockNotFoundError, type Hex, type PublicClient } from "viem";
import type { IndexDatabase } from "../index/database";
import { visibleToAll } from "../index/shared-read";
import type { StoreDatabase } from "../store/open";
import { type EventLog, eventLogIn } from "./event-log";
import { eventRecordsIn } from "./event-records";
import { EventFeed } from "./feed";
import { messageMaker } from "./message";
import type { GetBlockHash } from "./reader";

type Chain = Pick<PublicClient, "getBlock">;

type Options = {
  db: IndexDatabase;
  chain: Chain;
  store: () => Promise<StoreDatabase>;
  chainId: number;
  log: Logger;
  /** The polling interval of the event log. */
  pollMs: number;
  maxSubscribers: number;
  maxSubscribersPerClient: number;
  /** How many messages the journal keeps for subscribers that have not read them yet. */
  bufferedMessages: number;
  /** Whether every message is validated against its schema. */
  checkAnswers: boolean;
};

/** The journal's limit in bytes, whatever its limit in messages. */
const BUFFERED_BYTES = 32 * 1024 * 1024;

/** Reads block hashes from the chain. A failed request counts as an unknown block, which the caller looks up again. */
const getBlockHashFrom =
  (chain: Chain, log: Logger): GetBlockHash =>
  async (blockNumber): Promise<Hex | null> => {
    try {
      return (await chain.getBlock({ blockNumber })).hash;
    } catch (error) {
      if (!(error instanceof BlockNotFoundError))
        log.warn({ err: error }, "the block could not be read from the chain");
      return null;
    }
  };

/** Delays what a poll reads until no process responds with the state before it. */
export const withVisibleSnapshots = (log: EventLog): EventLog => ({
  ...log,
  async snapshot(...range) {
    const snapshot = await log.snapshot(...range);
    await visibleToAll();
    return snapshot;
  },
});

/** Opens the feed of live events. */
export function openFeed({
  db,
  chain,
  store,
  chainId,
  log,
  pollMs,
  maxSubscribers,
  maxSubscribersPerClient,
  bufferedMessages,
  checkAnswers,
}: Options): EventFeed {
  return new EventFeed({
    pollMs,
    maxSubscribers,
    maxSubscribersPerClient,
    log: withVisibleSnapshots(eventLogIn(db)),
    records: eventRecordsIn(store, chainId),
    getBlockHash: getBlockHashFrom(chain, log),
    messages: messageMaker(checkAnswers),
    limits: { messages: bufferedMessages, bytes: BUFFERED_BYTES },
    onError: (error) => log.error({ err: error }, "the event log could not be read"),
  });
}
