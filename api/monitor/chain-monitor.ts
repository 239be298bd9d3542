import { BlockNotFoundError, type Hex, type PublicClient } from "viem";
import { REINDEX_COMMAND, REORG_PROBLEM } from "../../config/reindex";
import { steadyTime } from "../../config/steady-time";
import type { ChainHead } from "../../rpc/follow-head";
import { measureRate } from "./backfill";
import type { IndexedBlock, IndexState } from "./index-state";

/** A mismatch between the chain and the index. */
export type ChainProblem = {
  kind: "chain-id" | "genesis" | "reorg-beyond-finality" | "behind" | "other-hash";
  /** One sentence: what is wrong and what to do. */
  sentence: string;
};

/** The monitor's in-memory state. Times are in milliseconds since 1970. */
export type ChainState = {
  startedAt: number;
  /** The chain's newest block. */
  head: ChainHead | undefined;
  /** When a new block was last received, not counting the first block seen. */
  newBlockAt: number | undefined;
  /** The average block time in seconds. */
  blockSeconds: number | undefined;
  /** When the index was last compared with the chain. */
  comparedAt: number | undefined;
  /** When the index was last at the chain's newest block. */
  syncedAt: number | undefined;
  problem: ChainProblem | undefined;
  /** Seconds until the index reaches the chain's newest block; null if unknown. */
  etaSeconds: number | null;
};

type MonitoredChain = {
  getChainId: () => Promise<number>;
  getBlock: (of: {
    blockNumber: bigint;
  }) => Promise<Pick<Awaited<ReturnType<PublicClient["getBlock"]>>, "hash" | "timestamp">>;
};

type Options = {
  chain: MonitoredChain;
  /** The chain's newest block, from memory; undefined before the first response. */
  head: () => ChainHead | undefined;
  readIndex: () => Promise<IndexState>;
  chainId: number;
  /**
   * How long a mismatch above the finalized block may last, and how long the chain's head may be behind the index. The indexer
   * follows an ordinary reorg within a few polls, and one of several nodes may lag.
   */
  settleMs: number;
  /** Returns the recorded genesis hash of this chain. Records `seen` if there is none. */
  genesis: (seen: Hex) => Promise<string>;
  onProblem?: (problem: ChainProblem) => void;
  onError?: (error: unknown) => void;
  now?: () => number;
};

export type ChainMonitor = {
  state: () => ChainState;
  /** Runs one comparison. */
  tick: () => Promise<void>;
};

/** How often the index is compared with the chain while no mismatch is known. */
const COMPARE_MS = 5_000;

/** How often the chain's id and genesis are checked. */
const IDENTITY_MS = 60_000;

/** How often the block time is measured, and over how many blocks. */
const BLOCK_TIME_MS = 600_000;
const BLOCK_TIME_BLOCKS = 100n;

/** How long a mismatch at a finalized block must last. A single node may return a wrong block once. */
const CONFIRM_MS = 1_000;

/** An observed mismatch. It becomes a problem if it lasts. */
type Mismatch = { kind: "finalized" | "head"; number: bigint; since: number; rounds: number; position: string };

/** A block to compare with the chain: an indexed block, or a chain hash remembered from an earlier round. */
type Anchor = IndexedBlock & { isFinalized: boolean; isRemembered: boolean };

/**
 * Monitors whether the chain is still the one that was indexed. It compares the block hashes of the newest events with
 * the chain. For blocks without events it remembers the chain's hashes at the index's head and finalized block. A failed
 * request leaves the state unchanged.
 */
export function createChainMonitor(options: Options): ChainMonitor {
  const { chain, head: latest, readIndex, chainId, settleMs, now = steadyTime } = options;
  const state: ChainState = {
    startedAt: now(),
    head: undefined,
    newBlockAt: undefined,
    blockSeconds: undefined,
    comparedAt: undefined,
    syncedAt: undefined,
    problem: undefined,
    etaSeconds: null,
  };
  const rate = measureRate();
  let identity: { problem: ChainProblem | undefined; checkedAt: number } | undefined;
  let blockTimeAt: number | undefined;
  let mismatch: Mismatch | undefined;
  /** Whether the chain's head went back or was replaced, which triggers an immediate comparison. */
  let headReplaced = false;
  /** Since when the chain's head has been below this block, which the index had then. */
  let behind: { block: bigint; since: number; receivedAt: number; isConfirmed: boolean } | undefined;
  /** The chain's hashes at the index's head and finalized block, from when the index first reached them. */
  let tip: (IndexedBlock & { position: string }) | undefined;
  let finalized: IndexedBlock | undefined;

  /** The chain's block hash at a height; undefined if there is no such block. */
  async function hashAt(blockNumber: bigint): Promise<Hex | undefined> {
    try {
      return (await chain.getBlock({ blockNumber })).hash ?? undefined;
    } catch (error) {
      if (error instanceof BlockNotFoundError) return undefined;
      throw error;
    }
  }

  async function checkIdentity(): Promise<void> {
    const found = await chain.getChainId();
    const genesis = found === chainId ? await hashAt(0n) : undefined;
    const recorded = genesis && (await options.genesis(genesis));
    identity = { problem: identityProblem(chainId, found, recorded, genesis), checkedAt: now() };
  }

  async function measureBlockTime(head: ChainHead): Promise<void> {
    const blocks = head.number < BLOCK_TIME_BLOCKS ? head.number : BLOCK_TIME_BLOCKS;
    if (blocks === 0n) return;
    const { timestamp } = await chain.getBlock({ blockNumber: head.number - blocks });
    state.blockSeconds = Number(head.timestamp - timestamp) / Number(blocks);
    blockTimeAt = now();
  }

  function observeHead(head: ChainHead): void {
    const last = state.head;
    if (last && head.number > last.number) state.newBlockAt = head.receivedAt;
    if (last && head.number <= last.number && head.hash !== last.hash) headReplaced = true;
    state.head = head;
  }

  function observeIndex(head: ChainHead, { block }: IndexState): void {
    if (block === null) return;
    rate.observe(now(), block);
    state.etaSeconds = rate.secondsUntil(head.number);
    if (block >= head.number) state.syncedAt = now();
    if (head.number >= block) behind = undefined;
    // A head that is received late follows the index at a distance.
    else if (!behind || head.number >= behind.block)
      behind = { block, since: now(), receivedAt: head.receivedAt, isConfirmed: false };
    else if (head.receivedAt > behind.receivedAt) behind.isConfirmed = true;
  }

  /** Compares the anchors with the chain. Throws if the chain does not respond. */
  async function compare(head: ChainHead, index: IndexState): Promise<void> {
    const { block, timestamp, finalizedBlock, newestEvent, newestFinalizedEvent } = index;
    const position = `${block}-${timestamp}`;
    const hashes = new Map<bigint, Hex | undefined>();
    const chainHash = async (number: bigint) => {
      if (!hashes.has(number)) hashes.set(number, number > head.number ? undefined : await hashAt(number));
      return hashes.get(number);
    };
    const isFinalized = ({ number }: IndexedBlock) => finalizedBlock !== null && number <= finalizedBlock;
    const anchors: Anchor[] = [];
    if (newestFinalizedEvent) anchors.push({ ...newestFinalizedEvent, isFinalized: true, isRemembered: false });
    if (newestEvent) anchors.push({ ...newestEvent, isFinalized: isFinalized(newestEvent), isRemembered: false });
    if (finalized && isFinalized(finalized)) anchors.push({ ...finalized, isFinalized: true, isRemembered: true });
    // At equal height the indexer may already have replaced this block. Compare only once the chain is ahead.
    if (tip?.position === position && head.number > tip.number)
      anchors.push({ ...tip, isFinalized: isFinalized(tip), isRemembered: true });

    const mismatched: Anchor[] = [];
    for (const anchor of anchors) {
      const hash = await chainHash(anchor.number);
      if (hash === undefined || hash === anchor.hash) continue;
      // The index advanced since the mismatch, so it follows the chain's branch and the remembered hashes are outdated.
      const indexAdvanced = mismatch !== undefined && mismatch.position !== position;
      if (anchor.isRemembered && indexAdvanced) {
        finalized = undefined;
        tip = undefined;
        continue;
      }
      mismatched.push(anchor);
    }
    state.comparedAt = now();
    headReplaced = false;
    const worst = mismatched.find((anchor) => anchor.isFinalized) ?? mismatched[0];
    if (worst) return recordMismatch(worst, position);
    mismatch = undefined;
    if (block !== null && tip?.position !== position) {
      const hash = await chainHash(block);
      tip = hash && { number: block, hash, position };
    }
    if (finalizedBlock !== null && finalized?.number !== finalizedBlock) {
      const hash = await chainHash(finalizedBlock);
      finalized = hash && { number: finalizedBlock, hash };
    }
  }

  function recordMismatch({ isFinalized, number }: Anchor, position: string): void {
    const kind = isFinalized ? "finalized" : "head";
    mismatch =
      mismatch?.kind === kind
        ? { ...mismatch, number, rounds: mismatch.rounds + 1 }
        : { kind, number, since: now(), rounds: 1, position };
  }

  function currentProblem(index: IndexState): ChainProblem | undefined {
    if (identity?.problem) return identity.problem;
    const lasts = (ms: number) => mismatch !== undefined && mismatch.rounds > 1 && now() - mismatch.since >= ms;
    if (mismatch?.kind === "finalized" && lasts(CONFIRM_MS)) return reorgBeyondFinality(mismatch.number);
    if (behind?.isConfirmed && now() - behind.since >= settleMs && state.head && index.block !== null)
      return {
        kind: "behind",
        sentence: `The chain's newest block is ${state.head.number}, behind block ${index.block} of the index.`,
      };
    if (mismatch?.kind === "head" && lasts(settleMs))
      return {
        kind: "other-hash",
        sentence: `Block ${mismatch.number} of the chain differs from the indexed block.`,
      };
    return undefined;
  }

  const isDue = (at: number | undefined, ms: number) => at === undefined || now() - at >= ms;

  async function tick(): Promise<void> {
    const head = latest();
    if (!head) return;
    observeHead(head);
    const index = await readIndex();
    observeIndex(head, index);
    const needsCheck = headReplaced || mismatch !== undefined || behind !== undefined;
    // A failed request leaves the state unchanged. The next round retries.
    try {
      if (!identity || needsCheck || isDue(identity.checkedAt, IDENTITY_MS)) await checkIdentity();
      if (needsCheck || isDue(state.comparedAt, COMPARE_MS)) await compare(head, index);
      if (isDue(blockTimeAt, BLOCK_TIME_MS)) await measureBlockTime(head);
    } catch (error) {
      options.onError?.(error);
    }
    const problem = currentProblem(index);
    if (problem && problem.kind !== state.problem?.kind) options.onProblem?.(problem);
    state.problem = problem;
  }

  return { state: () => ({ ...state, head: latest() }), tick };
}

function identityProblem(
  expectedId: number,
  foundId: number,
  recordedGenesis: string | undefined,
  genesis: Hex | undefined,
): ChainProblem | undefined {
  if (foundId !== expectedId)
    return { kind: "chain-id", sentence: `The RPC serves chain ${foundId} instead of ${expectedId}; check RPC_URL.` };
  if (recordedGenesis === genesis) return undefined;
  return {
    kind: "genesis",
    sentence: `The chain's genesis block is ${genesis}, but the indexed chain's is ${recordedGenesis}; check RPC_URL, or run ${REINDEX_COMMAND} -- --new-chain to index the new chain.`,
  };
}

const reorgBeyondFinality = (number: bigint): ChainProblem => ({
  kind: REORG_PROBLEM,
  sentence: `The chain replaced block ${number}, which was finalized; stop the indexer and run ${REINDEX_COMMAND}.`,
});
