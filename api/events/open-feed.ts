import type { Logger } from "pino";
import { BlockNotFoundError, type Hex, type PublicClient } from "viem";
import type { IndexDatabase } from "../indexed/database";
import { visibleToAll } from "../indexed/shared-read";
import type { StoreDatabase } from "../offchain/open";
import type { Tokens } from "../tokens/token";
import { type EventLog, eventLogIn } from "./event-log";
import { eventRecordsIn } from "./event-records";
import { factsAbout, intentsOf, needsFacts } from "./facts";
import { EventFeed } from "./feed";
import { EventArguments, type EventRow, messageMaker } from "./message";
import type { GetBlockHash } from "./reader";

type Chain = Pick<PublicClient, "getBlock">;

type Options = {
  db: IndexDatabase;
  chain: Chain;
  store: () => Promise<StoreDatabase>;
  tokens: Tokens;
  chainId: number;
  log: Logger;
  /** The polling interval of the event log. */
  pollMs: number;
  /** Undefined for no limit of its own. */
  maxSubscribersPerClient: number | undefined;
  /** Whether every message is validated against its schema. */
  checkAnswers: boolean;
};

/** The maximum number of open streams of this process. Each costs about 120 kB. */
const MAX_SUBSCRIBERS = 2_000;

/** How much the journal keeps for subscribers that have not read it yet. One that falls further behind is disconnected. */
const BUFFERED = { messages: 10_000, bytes: 32 * 1024 * 1024 };

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

/** How long new events wait for tokens that were never read. Later ones have raw amounts in their summaries. */
const TOKEN_WAIT_MS = 150;

/** Adds the facts for their summaries to the rows of the log. Without them, if they can't be read, summaries have raw amounts. */
function withFacts(
  log: EventLog,
  context: { db: IndexDatabase; tokens: Tokens },
  onError: (error: unknown) => void,
): EventLog {
  const addFacts = async (rows: EventRow[]): Promise<EventRow[]> => {
    const needed = rows.filter(({ name }) => needsFacts(name));
    if (needed.length === 0) return rows;
    try {
      const events = needed.map(({ name, args }) => ({ name, args: EventArguments.parse(JSON.parse(args)) }));
      const facts = await factsAbout(context.tokens, events, await intentsOf(context.db, events), TOKEN_WAIT_MS);
      return rows.map((row) => (needsFacts(row.name) ? { ...row, facts } : row));
    } catch (error) {
      onError(error);
      return rows;
    }
  };
  return {
    ...log,
    async snapshot(...range) {
      const snapshot = await log.snapshot(...range);
      return { ...snapshot, rows: await addFacts(snapshot.rows) };
    },
    async rows(...range) {
      const rows = await log.rows(...range);
      return rows && addFacts(rows);
    },
  };
}

/** Opens the feed of live events. */
export function openFeed({
  db,
  chain,
  store,
  tokens,
  chainId,
  log,
  pollMs,
  maxSubscribersPerClient = MAX_SUBSCRIBERS,
  checkAnswers,
}: Options): EventFeed {
  return new EventFeed({
    pollMs,
    maxSubscribers: MAX_SUBSCRIBERS,
    maxSubscribersPerClient,
    log: withFacts(withVisibleSnapshots(eventLogIn(db)), { db, tokens }, (error) =>
      log.warn({ err: error }, "the tokens of events could not be read"),
    ),
    records: eventRecordsIn(store, chainId),
    getBlockHash: getBlockHashFrom(chain, log),
    messages: messageMaker(checkAnswers),
    limits: BUFFERED,
    onError: (error) => log.error({ err: error }, "the event log could not be read"),
  });
}
