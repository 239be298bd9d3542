import type { Logger } from "pino";
import type { Hex, PublicClient } from "viem";
import { LOCAL_CHAIN_ID } from "../../config/networks";
import { repeat } from "../../config/repeat";
import { steadyTime } from "../../config/steady-time";
import type { ChainHead } from "../../rpc/follow-head";
import type { IndexDatabase } from "../indexed/database";
import type { IndexHead } from "../indexed/head";
import { databaseProblemOf } from "../indexed/problem";
import { recordedGenesis } from "../offchain/chains";
import type { StoreDatabase } from "../offchain/open";
import { createChainMonitor } from "./chain-monitor";
import { readIndexState } from "./index-state";
import { type IndexFailure, type Readiness, readinessOf } from "./readiness";
import { watchStore } from "./store-health";

/** The source of `GET /ready`. Only the index head is read per request. */
type Monitor = {
  readiness: () => Promise<Readiness>;
  stop: () => Promise<void>;
};

type Options = {
  db: IndexDatabase;
  indexHead: () => Promise<IndexHead>;
  chain: Pick<PublicClient, "getBlock" | "getChainId">;
  /** The chain's newest block, from memory; undefined before the first response. */
  head: () => ChainHead | undefined;
  store: () => Promise<StoreDatabase>;
  chainId: number;
  startBlock: number;
  /** The maximum lag of a ready index. */
  maxLagSeconds: number;
  log: Logger;
};

const LOCAL_TIMES = { intervalMs: 200, settleMs: 1_000 };
const TIMES = { intervalMs: 1_000, settleMs: 3_000 };

const indexFailureOf = (error: unknown): IndexFailure =>
  databaseProblemOf(error) === "no-index" ? "not-built" : "unavailable";

/** Starts to monitor the chain and the store. */
export function openMonitor({
  db,
  indexHead,
  chain,
  store,
  chainId,
  startBlock,
  maxLagSeconds,
  log,
  head,
}: Options): Monitor {
  const { intervalMs, settleMs } = chainId === LOCAL_CHAIN_ID ? LOCAL_TIMES : TIMES;
  const onChainError = (error: unknown) => log.debug({ err: error }, "a monitor request to the chain failed");
  const storeHealth = watchStore(store, (state) => {
    if (state === "ok") log.info("the store accepts writes");
    else log.error({ store: state }, "the store does not accept writes");
  });
  let seenGenesis: Hex | undefined;
  /** Falls back to the first genesis seen by this process while the store is unavailable. */
  const genesis = async (seen: Hex) => {
    seenGenesis ??= seen;
    try {
      return await recordedGenesis(await store(), chainId, seen);
    } catch {
      return seenGenesis;
    }
  };
  const monitor = createChainMonitor({
    chain,
    head,
    readIndex: () => readIndexState(db),
    chainId,
    settleMs,
    genesis,
    onProblem: ({ kind, sentence }) => log.error({ problem: kind }, sentence),
    onError: onChainError,
  });
  const rounds = repeat({
    task: monitor.tick,
    pauseMs: intervalMs,
    onError(error) {
      if (indexFailureOf(error) === "unavailable")
        log.warn({ err: error }, "the index could not be compared with the chain");
    },
  });
  return {
    async readiness() {
      const index = await indexHead().catch(indexFailureOf);
      const config = { chainId, startBlock: BigInt(startBlock), maxLagSeconds };
      return readinessOf({ index, chain: monitor.state(), store: storeHealth.state(), config, now: steadyTime() });
    },
    stop: async () => void (await Promise.all([rounds.stop(), storeHealth.stop()])),
  };
}
