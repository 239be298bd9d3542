import { describe, expect, it } from "vitest";
import type { IndexHead } from "../../api/indexed/head";
import type { ChainState } from "../../api/monitor/chain-monitor";
import { type IndexFailure, readinessOf } from "../../api/monitor/readiness";
import type { StoreState } from "../../api/monitor/store-health";

const NOW = 1_800_000_000_000;
const SECOND = 1_000;
const timestamp = BigInt(NOW / SECOND);

type Change = {
  index?: Partial<IndexHead> | IndexFailure;
  chain?: Partial<ChainState>;
  store?: StoreState;
  chainId?: number;
  maxLagSeconds?: number;
};

const indexAt = (change: Partial<IndexHead>): IndexHead => {
  const { block = 100n } = change;
  return { historyDone: true, isComplete: true, block, timestamp, builtBlock: block, revision: "", ...change };
};

/** The readiness of a ready service with one change. */
function readinessWith({ index = {}, chain, store = "ok", chainId = 8453, maxLagSeconds = 30 }: Change = {}) {
  const head = { number: 100n, hash: "0x64", timestamp, receivedAt: NOW } as const;
  return readinessOf({
    index: typeof index === "string" ? index : indexAt(index),
    chain: {
      startedAt: NOW - 3600 * SECOND,
      head,
      newBlockAt: NOW,
      blockSeconds: 2,
      comparedAt: NOW,
      syncedAt: NOW,
      problem: undefined,
      etaSeconds: null,
      ...chain,
    },
    store,
    config: { chainId, startBlock: 0n, maxLagSeconds },
    now: NOW,
  });
}

const headAt = (change: object) => ({ number: 100n, hash: "0x64", timestamp, receivedAt: NOW, ...change }) as const;

describe("readiness", () => {
  it("is true if the index is level with the chain and agrees with it, and the store is writable", () => {
    expect(readinessWith()).toEqual({
      ready: true,
      chain_id: 8453,
      block_number: "100",
      chain_block_number: "100",
      lag_blocks: "0",
      lag_seconds: 0,
      progress: 1,
      eta_seconds: 0,
      store: "ok",
      reason: null,
      reasons: [],
    });
  });

  it.each<[string, Change, string]>([
    ["the index is not built", { index: "not-built" }, "The index is not built yet; try again shortly."],
    ["its database is unavailable", { index: "unavailable" }, "The index's database does not answer."],
    [
      "the backfill is running",
      { index: { historyDone: false } },
      "The index has not yet caught up with the chain's history.",
    ],
    [
      "the index was never compared with the chain",
      { chain: { comparedAt: undefined } },
      "The index has not been compared with the chain yet.",
    ],
    [
      "the chain contradicts the index",
      { chain: { problem: { kind: "behind", sentence: "The chain's newest block is 7." } } },
      "The chain's newest block is 7.",
    ],
    ["the chain never responded", { chain: { head: undefined, startedAt: NOW } }, "The chain has not answered yet."],
    [
      "the chain has not responded for a long time",
      { chain: { head: headAt({ receivedAt: NOW - 16 * SECOND }) } },
      "The chain has not answered for 16 s.",
    ],
    [
      "the chain has had no block for 61 s",
      { chain: { newBlockAt: NOW - 61 * SECOND } },
      "The chain has had no new block for 61 s.",
    ],
    [
      "the first block seen is old",
      {
        index: { timestamp: timestamp - 90n },
        chain: { newBlockAt: undefined, head: headAt({ timestamp: timestamp - 90n }) },
      },
      "The chain has had no new block for 90 s.",
    ],
    ["the store is read-only", { store: "read-only" }, "The store is read-only; writes return 503."],
    ["the store is unavailable", { store: "unavailable" }, "The store does not answer."],
  ])("is false with a reason if %s", (_, change, reason) => {
    expect(readinessWith(change)).toMatchObject({ ready: false, reason, reasons: [reason] });
  });

  it("has every reason, the chain's first", () => {
    const { reason, reasons } = readinessWith({
      chain: { problem: { kind: "genesis", sentence: "Another genesis." } },
      index: { historyDone: false },
      store: "unavailable",
    });
    expect(reason).toBe("Another genesis.");
    expect(reasons).toEqual([
      "Another genesis.",
      "The index has not yet caught up with the chain's history.",
      "The store does not answer.",
    ]);
  });

  it("contains the store's state", () => {
    for (const store of ["ok", "read-only", "unavailable"] as const) expect(readinessWith({ store }).store).toBe(store);
  });

  describe("with a chain that responded recently", () => {
    it.each([1, 5, 15])("stays true after failed requests for %d s", (seconds) => {
      expect(readinessWith({ chain: { head: headAt({ receivedAt: NOW - seconds * SECOND }) } }).ready).toBe(true);
    });
  });

  describe("with a lag", () => {
    const behind = (blocks: bigint, seconds: bigint, levelAgo?: number): Change => ({
      index: { block: 100n - blocks, timestamp: timestamp - seconds },
      chain: { syncedAt: levelAgo === undefined ? undefined : NOW - levelAgo * SECOND },
    });

    it("is true up to the maximum lag and false beyond", () => {
      expect(readinessWith(behind(15n, 30n))).toMatchObject({ ready: true, lag_blocks: "15", lag_seconds: 30 });
      expect(readinessWith(behind(16n, 31n))).toMatchObject({
        ready: false,
        lag_seconds: 31,
        reason: "The index is 16 blocks and 31 s behind the chain.",
      });
    });

    it("is false for a lag of one block if no lag is allowed", () => {
      expect(readinessWith({ ...behind(1n, 0n), maxLagSeconds: 0 })).toMatchObject({
        ready: false,
        reason: "The index is 1 block and 1 s behind the chain.",
      });
    });

    it("measures the lag from when the index was last level: the first block after a long pause is not a long lag", () => {
      expect(readinessWith(behind(1n, 3600n, 0.4))).toMatchObject({ ready: true, lag_seconds: 1 });
      expect(readinessWith(behind(1n, 3600n, 31))).toMatchObject({ ready: false, lag_seconds: 31 });
    });

    it("has a lag of 0 while the known chain head is behind the index", () => {
      expect(readinessWith({ index: { block: 103n, timestamp: timestamp + 6n } })).toMatchObject({
        ready: true,
        lag_blocks: "0",
        lag_seconds: 0,
      });
    });
  });

  it("allows twenty block times without a block on a slow chain", () => {
    const chain = { blockSeconds: 12, newBlockAt: NOW - 240 * SECOND };
    expect(readinessWith({ chain }).ready).toBe(true);
    expect(readinessWith({ chain: { ...chain, newBlockAt: NOW - 241 * SECOND } }).ready).toBe(false);
  });

  it("allows any time without a block on a local chain", () => {
    expect(readinessWith({ chainId: 31337, chain: { newBlockAt: NOW - 86_400 * SECOND } }).ready).toBe(true);
  });

  it("contains progress and remaining time during the backfill", () => {
    const backfill = readinessWith({
      index: { historyDone: false, isComplete: false, block: 25n },
      chain: { etaSeconds: 90 },
    });
    expect(backfill).toMatchObject({ ready: false, progress: 0.25, eta_seconds: 90 });
    expect(readinessWith({ index: "not-built" })).toMatchObject({ progress: 0, eta_seconds: null });
  });
});
