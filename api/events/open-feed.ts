import type { Logger } from "pino";
import { BlockNotFoundError, type Hex, type PublicClient } from "viem";
import type { IndexDatabase } from "../index/database";
import type { StoreDatabase } from "../store/open";
import { eventLogIn } from "./event-log";
import { eventRecordsIn } from "./event-records";
import { EventFeed } from "./feed";
import { messageMaker } from "./message";
import type { BlockHashes } from "./reader";

/** What the live events need of the chain. */
type Chain = Pick<PublicClient, "getBlock">;

type Options = {
  db: IndexDatabase;
  chain: Chain;
  store: () => Promise<StoreDatabase>;
  chainId: number;
  log: Logger;
  /** How often the log is looked at. */
  pollMs: number;
  maxListeners: number;
  maxListenersOfClient: number;
  /** How many messages are kept for listeners that have not taken them yet. */
  keptMessages: number;
  /** Whether every message is held against its schema. */
  checkAnswers: boolean;
};

/** However few, messages may be large. */
const KEPT_BYTES = 32 * 1024 * 1024;

/** Asks the chain for the hashes of blocks. A chain that does not answer is as one that has no such block: not known yet. */
const hashesFrom =
  (chain: Chain, log: Logger): BlockHashes =>
  async (blockNumber): Promise<Hex | null> => {
    try {
      return (await chain.getBlock({ blockNumber })).hash;
    } catch (error) {
      if (!(error instanceof BlockNotFoundError)) log.warn({ err: error }, "the chain did not say what a block is");
      return null;
    }
  };

/** Opens the feed of live events. */
export function openFeed({
  db,
  chain,
  store,
  chainId,
  log,
  checkAnswers,
  keptMessages,
  ...limits
}: Options): EventFeed {
  return new EventFeed({
    ...limits,
    log: eventLogIn(db),
    records: eventRecordsIn(store, chainId),
    blockHash: hashesFrom(chain, log),
    messages: messageMaker(checkAnswers),
    limits: { messages: keptMessages, bytes: KEPT_BYTES },
    onError: (error) => log.error({ err: error }, "the event log could not be read"),
  });
}
