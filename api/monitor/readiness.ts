import { LOCAL_CHAIN_ID } from "../../config/networks";
import type { IndexHead } from "../indexed/head";
import { progressOf } from "./backfill";
import type { ChainState } from "./chain-monitor";
import type { StoreState } from "./store-health";

export type Readiness = {
  ready: boolean;
  chain_id: number;
  /** The newest indexed block; null before the first. */
  block_number: string | null;
  /** The chain's newest block; null before the first response. */
  chain_block_number: string | null;
  lag_blocks: string | null;
  /** How long the index has been behind the chain. */
  lag_seconds: number | null;
  /** The backfill's progress, from 0 to 1. */
  progress: number;
  /** Null if unknown. */
  eta_seconds: number | null;
  store: StoreState;
  /** The first of `reasons`. */
  reason: string | null;
  /** Why the service is not ready, most important first. */
  reasons: string[];
};

/** Why the index can't be read. */
export type IndexFailure = "not-built" | "unavailable";

type Inputs = {
  index: IndexHead | IndexFailure;
  chain: ChainState;
  store: StoreState;
  config: { chainId: number; startBlock: bigint; maxLagSeconds: number };
  /** In milliseconds since 1970. */
  now: number;
};

/** The chain counts as unresponsive if no request succeeded for this long. */
const SILENT_MS = 15_000;

/** The chain counts as halted without a new block for this long and for this many block times. */
const HALTED_SECONDS = 60;
const HALTED_BLOCKS = 20;

const seconds = (ms: number) => Math.max(0, Math.floor(ms / 1000));

/**
 * The lag in seconds: the chain time between the two blocks, capped by the time since the index was last at the head.
 * Without the cap, the first block after a long pause of the chain would count as a long lag.
 */
function lagSecondsOf({ head, syncedAt }: ChainState, index: IndexHead, now: number): number | null {
  if (!head || index.block === null || index.timestamp === null) return null;
  if (head.number <= index.block) return 0;
  const chainSeconds = Math.max(1, Number(head.timestamp - index.timestamp));
  return syncedAt === undefined
    ? chainSeconds
    : Math.min(chainSeconds, Math.max(1, Math.ceil((now - syncedAt) / 1000)));
}

/** Seconds since the chain's last block was received. For the first block seen, since its timestamp. */
const quietSeconds = ({ head, newBlockAt }: ChainState, now: number) =>
  head ? seconds(now - (newBlockAt ?? Number(head.timestamp) * 1000)) : 0;

function indexReasons({ index, chain: { comparedAt }, config }: Inputs, lagSeconds: number | null, lag: bigint | null) {
  if (index === "not-built") return ["The index is not built yet; try again shortly."];
  if (index === "unavailable") return ["The index's database does not answer."];
  if (!index.historyDone) return ["The index has not yet caught up with the chain's history."];
  if (comparedAt === undefined) return ["The index has not been compared with the chain yet."];
  if (lagSeconds !== null && lagSeconds > config.maxLagSeconds)
    return [`The index is ${lag} ${lag === 1n ? "block" : "blocks"} and ${lagSeconds} s behind the chain.`];
  return [];
}

function chainReasons({ chain, config, now }: Inputs): string[] {
  const { head, startedAt, problem, blockSeconds } = chain;
  const reasons = problem ? [problem.sentence] : [];
  const silentMs = now - (head?.receivedAt ?? startedAt);
  if (silentMs > SILENT_MS) return [...reasons, `The chain has not answered for ${seconds(silentMs)} s.`];
  if (!head) return [...reasons, "The chain has not answered yet."];
  const quiet = quietSeconds(chain, now);
  const isHalted = quiet > Math.max(HALTED_SECONDS, HALTED_BLOCKS * (blockSeconds ?? 0));
  if (isHalted && config.chainId !== LOCAL_CHAIN_ID) reasons.push(`The chain has had no new block for ${quiet} s.`);
  return reasons;
}

const storeReasons: Readonly<Record<StoreState, readonly string[]>> = {
  ok: [],
  "read-only": ["The store is read-only; writes return 503."],
  full: ["The disk of the store's database is full; writes return 503."],
  unavailable: ["The store does not answer."],
};

/** Combines the states of the index, the chain and the store into the readiness response. */
export function readinessOf(inputs: Inputs): Readiness {
  const { index, chain, store, config, now } = inputs;
  const current: IndexHead =
    typeof index === "string"
      ? { historyDone: false, isComplete: false, block: null, timestamp: null, builtBlock: null, revision: "" }
      : index;
  const head = chain.head?.number;
  const lag = head === undefined || current.block === null ? null : head > current.block ? head - current.block : 0n;
  const lagSeconds = lagSecondsOf(chain, current, now);
  const reasons = [...chainReasons(inputs), ...indexReasons(inputs, lagSeconds, lag), ...storeReasons[store]];
  const progress = head === undefined ? 0 : progressOf(config.startBlock, current.builtBlock, head);
  return {
    ready: reasons.length === 0,
    chain_id: config.chainId,
    block_number: current.block?.toString() ?? null,
    chain_block_number: head?.toString() ?? null,
    lag_blocks: lag?.toString() ?? null,
    lag_seconds: lagSeconds,
    progress: current.historyDone ? 1 : progress,
    // The measured rate applies only to the served build.
    eta_seconds: current.historyDone ? 0 : current.builtBlock === current.block ? chain.etaSeconds : null,
    store,
    reason: reasons[0] ?? null,
    reasons,
  };
}
