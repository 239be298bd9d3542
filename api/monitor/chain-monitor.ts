import { BlockNotFoundError, type Hex, type PublicClient } from "viem";
import { REINDEX_COMMAND, REORG_PROBLEM } from "../../config/reindex";
import { measureRate } from "./backfill";
import type { Header } from "./header";
import type { IndexClaims, IndexedBlock } from "./index-claims";

/** A way in which the chain contradicts the index. */
export type ChainProblem = {
  kind: "chain-id" | "genesis" | "reorg-beyond-finality" | "behind" | "other-hash";
  /** One sentence: what is wrong and what to do. */
  sentence: string;
};

/** What the monitor knows, all of it in memory. Times are in milliseconds since 1970. */
export type ChainState = {
  startedAt: number;
  /** The chain's newest block. */
  head: Header | undefined;
  /** When a newer block than the first one was last received. */
  newBlockAt: number | undefined;
  /** Seconds between two blocks of this chain, on average. */
  blockSeconds: number | undefined;
  /** When the index was last compared with the chain. */
  comparedAt: number | undefined;
  /** When the index was last seen at the chain's newest block. */
  levelAt: number | undefined;
  problem: ChainProblem | undefined;
  /** Seconds until the index reaches the chain's newest block; null when that is not known. */
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
  /** The chain's newest block, from memory; undefined before the first answer. */
  head: () => Header | undefined;
  /** What the index says of the chain. */
  claims: () => Promise<IndexClaims>;
  chainId: number;
  /** The genesis hash recorded for this chain, recording the one given if there is none. */
  genesis: (seen: Hex) => Promise<string>;
  onProblem?: (problem: ChainProblem) => void;
  onError?: (error: unknown) => void;
  now?: () => number;
};

export type ChainMonitor = {
  state: () => ChainState;
  /** Compares once. The loop calls it; tests call it with a clock of their own. */
  tick: () => Promise<void>;
};

/** How often the index is compared with the chain while nothing is suspicious. */
const COMPARE_MS = 5_000;

/** How often the chain's id and genesis are checked. */
const IDENTITY_MS = 60_000;

/** How long block times are used before they are measured again, and over how many blocks. */
const BLOCK_TIME_MS = 600_000;
const BLOCK_TIME_BLOCKS = 100n;

/** How long a contradiction at a finalized block has to last; one node may answer wrongly once. */
const CONFIRM_MS = 1_000;

/** How long a contradiction above the finalized block may last: the indexer reverts ordinary reorgs within a few polls. */
const SETTLE_MS = 10_000;

/** How long the chain's head may be behind the index: one of several nodes may be. */
const BEHIND_MS = 5_000;

/** A contradiction that was seen and has to last before it counts. */
type Suspicion = { kind: "final" | "head"; number: bigint; since: number; rounds: number; position: string };

/** Something the chain is asked to confirm: a block that the index holds, or a hash remembered from an earlier round. */
type Anchor = IndexedBlock & { isFinal: boolean; isRemembered: boolean };

/**
 * Watches in the background whether the chain is the one that was indexed. It compares hashes of the newest events with
 * the chain's, and remembers what the chain had at the index's head and finalized block, for blocks without events. A
 * failed request changes nothing: what was known stays until the chain answers otherwise.
 */
export function createChainMonitor(options: Options): ChainMonitor {
  const { chain, head: latest, claims: readClaims, chainId, now = Date.now } = options;
  const state: ChainState = {
    startedAt: now(),
    head: undefined,
    newBlockAt: undefined,
    blockSeconds: undefined,
    comparedAt: undefined,
    levelAt: undefined,
    problem: undefined,
    etaSeconds: null,
  };
  const rate = measureRate();
  let identity: { problem: ChainProblem | undefined; checkedAt: number } | undefined;
  let blockTimeAt: number | undefined;
  let suspicion: Suspicion | undefined;
  /** The newest block went back or was replaced: what follows is checked at once. */
  let hasTurned = false;
  let behind: { since: number; receivedAt: number; isConfirmed: boolean } | undefined;
  /** The chain's hash at the index's head and at its finalized block, when the index first stood there. */
  let tip: (IndexedBlock & { position: string }) | undefined;
  let final: IndexedBlock | undefined;

  /** The chain's hash at a height; undefined when it has no such block. */
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

  async function measureBlockTime(head: Header): Promise<void> {
    const blocks = head.number < BLOCK_TIME_BLOCKS ? head.number : BLOCK_TIME_BLOCKS;
    if (blocks === 0n) return;
    const { timestamp } = await chain.getBlock({ blockNumber: head.number - blocks });
    state.blockSeconds = Number(head.timestamp - timestamp) / Number(blocks);
    blockTimeAt = now();
  }

  function observeHead(head: Header): void {
    const last = state.head;
    if (last && head.number > last.number) state.newBlockAt = head.receivedAt;
    if (last && head.number <= last.number && head.hash !== last.hash) hasTurned = true;
    state.head = head;
  }

  function observeIndex(head: Header, { block }: IndexClaims): void {
    if (block === null) return;
    rate.observe(now(), block);
    state.etaSeconds = rate.secondsUntil(head.number);
    if (block >= head.number) state.levelAt = now();
    if (head.number >= block) behind = undefined;
    else if (!behind) behind = { since: now(), receivedAt: head.receivedAt, isConfirmed: false };
    else if (head.receivedAt > behind.receivedAt) behind.isConfirmed = true;
  }

  /** Asks the chain about the anchors it can know; throws when it does not answer. */
  async function compare(head: Header, claims: IndexClaims): Promise<void> {
    const { block, timestamp, finalizedBlock, newestEvent, newestFinalEvent } = claims;
    const position = `${block}-${timestamp}`;
    const hashes = new Map<bigint, Hex | undefined>();
    const chainHash = async (number: bigint) => {
      if (!hashes.has(number)) hashes.set(number, number > head.number ? undefined : await hashAt(number));
      return hashes.get(number);
    };
    const isFinal = ({ number }: IndexedBlock) => finalizedBlock !== null && number <= finalizedBlock;
    const anchors: Anchor[] = [];
    if (newestFinalEvent) anchors.push({ ...newestFinalEvent, isFinal: true, isRemembered: false });
    if (newestEvent) anchors.push({ ...newestEvent, isFinal: isFinal(newestEvent), isRemembered: false });
    if (final && isFinal(final)) anchors.push({ ...final, isFinal: true, isRemembered: true });
    // At the same height the indexer may have replaced the block; a chain that has gone on shows that it did not.
    if (tip?.position === position && head.number > tip.number)
      anchors.push({ ...tip, isFinal: isFinal(tip), isRemembered: true });

    const contradicted: Anchor[] = [];
    for (const anchor of anchors) {
      const hash = await chainHash(anchor.number);
      if (hash === undefined || hash === anchor.hash) continue;
      // The indexer went on: it is on the chain's branch, and what is remembered is of the one before.
      const hasGoneOn = suspicion !== undefined && suspicion.position !== position;
      if (anchor.isRemembered && hasGoneOn) {
        final = undefined;
        tip = undefined;
        continue;
      }
      contradicted.push(anchor);
    }
    state.comparedAt = now();
    hasTurned = false;
    const worst = contradicted.find((anchor) => anchor.isFinal) ?? contradicted[0];
    if (worst) return suspect(worst, position);
    suspicion = undefined;
    if (block !== null && tip?.position !== position) {
      const hash = await chainHash(block);
      tip = hash && { number: block, hash, position };
    }
    if (finalizedBlock !== null && final?.number !== finalizedBlock) {
      const hash = await chainHash(finalizedBlock);
      final = hash && { number: finalizedBlock, hash };
    }
  }

  function suspect({ isFinal, number }: Anchor, position: string): void {
    const kind = isFinal ? "final" : "head";
    suspicion =
      suspicion?.kind === kind
        ? { ...suspicion, number, rounds: suspicion.rounds + 1 }
        : { kind, number, since: now(), rounds: 1, position };
  }

  function currentProblem(claims: IndexClaims): ChainProblem | undefined {
    if (identity?.problem) return identity.problem;
    const lasts = (ms: number) => suspicion !== undefined && suspicion.rounds > 1 && now() - suspicion.since >= ms;
    if (suspicion?.kind === "final" && lasts(CONFIRM_MS)) return reorgBeyondFinality(suspicion.number);
    if (behind?.isConfirmed && now() - behind.since >= BEHIND_MS && state.head && claims.block !== null)
      return {
        kind: "behind",
        sentence: `The chain's newest block is ${state.head.number}, behind block ${claims.block} of the index.`,
      };
    if (suspicion?.kind === "head" && lasts(SETTLE_MS))
      return {
        kind: "other-hash",
        sentence: `The chain has another block ${suspicion.number} than the one that is indexed.`,
      };
    return undefined;
  }

  const isDue = (at: number | undefined, ms: number) => at === undefined || now() - at >= ms;

  async function tick(): Promise<void> {
    const head = latest();
    if (!head) return;
    observeHead(head);
    const claims = await readClaims();
    observeIndex(head, claims);
    const isSuspicious = hasTurned || suspicion !== undefined || behind !== undefined;
    // A request that fails leaves what is known as it is; the next round asks again.
    try {
      if (!identity || isSuspicious || isDue(identity.checkedAt, IDENTITY_MS)) await checkIdentity();
      if (isSuspicious || isDue(state.comparedAt, COMPARE_MS)) await compare(head, claims);
      if (isDue(blockTimeAt, BLOCK_TIME_MS)) await measureBlockTime(head);
    } catch (error) {
      options.onError?.(error);
    }
    const problem = currentProblem(claims);
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
    return { kind: "chain-id", sentence: `The RPC serves chain ${foundId} and not ${expectedId}; check RPC_URL.` };
  if (recordedGenesis === genesis) return undefined;
  return {
    kind: "genesis",
    sentence: `The chain's genesis block is ${genesis}, and that of the indexed chain is ${recordedGenesis}; check RPC_URL, or run ${REINDEX_COMMAND} -- --new-chain to index the new chain.`,
  };
}

const reorgBeyondFinality = (number: bigint): ChainProblem => ({
  kind: REORG_PROBLEM,
  sentence: `The chain replaced block ${number}, which was final; stop the indexer and run ${REINDEX_COMMAND}.`,
});

/** Runs the monitor's rounds, one after the other. */
export function runMonitor(
  { tick }: ChainMonitor,
  intervalMs: number,
  onError: (error: unknown) => void,
): { stop: () => void } {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const round = async () => {
    await tick().catch(onError);
    if (stopped) return;
    timer = setTimeout(() => void round(), intervalMs);
    timer.unref();
  };
  void round();
  return {
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
