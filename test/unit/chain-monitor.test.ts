import { BlockNotFoundError, type Hex, numberToHex } from "viem";
import { describe, expect, it } from "vitest";
import { type ChainProblem, createChainMonitor } from "../../api/monitor/chain-monitor";
import type { IndexState } from "../../api/monitor/index-state";

const CHAIN_ID = 8453;
const BLOCK_SECONDS = 2;

/** A block's hash names its branch. */
const hashOf = (branch: string, number: bigint): Hex =>
  `0x${Buffer.from(branch).toString("hex")}${numberToHex(number).slice(2)}`;

/** A chain, its index and a clock, all controlled by the test. */
function standIn() {
  let time = 1_800_000_000_000;
  let failing = false;
  let requests = 0;
  let chainId = CHAIN_ID;
  let genesisBranch = "main";
  let recorded: Hex | undefined;
  let head = 200n;
  /** The chain's branches and their first blocks. The last one that applies counts. */
  const branches: { from: bigint; name: string }[] = [{ from: 0n, name: "main" }];
  const chainHash = (number: bigint) =>
    number === 0n
      ? hashOf(genesisBranch, 0n)
      : hashOf(branches.filter(({ from }) => from <= number).at(-1)?.name ?? "", number);
  const timestampOf = (number: bigint) => 1_000n + number * BigInt(BLOCK_SECONDS);
  const index: IndexState = {
    historyDone: true,
    block: 200n,
    timestamp: timestampOf(200n),
    finalizedBlock: 160n,
    newestEvent: { number: 190n, hash: hashOf("main", 190n) },
    newestFinalizedEvent: { number: 150n, hash: hashOf("main", 150n) },
  };
  const problems: ChainProblem[] = [];
  const request = () => {
    requests += 1;
    if (failing) throw new Error("no response");
  };
  const monitor = createChainMonitor({
    chain: {
      async getChainId() {
        request();
        return chainId;
      },
      async getBlock({ blockNumber }) {
        request();
        if (blockNumber > head) throw new BlockNotFoundError({ blockNumber });
        return { hash: chainHash(blockNumber), timestamp: timestampOf(blockNumber) };
      },
    },
    head: () => ({ number: head, hash: chainHash(head), timestamp: timestampOf(head), receivedAt: time }),
    readIndex: async () => ({ ...index }),
    chainId: CHAIN_ID,
    settleMs: 3_000,
    async genesis(seen) {
      recorded ??= seen;
      return recorded;
    },
    onProblem: (problem) => problems.push(problem),
    now: () => time,
  });
  return {
    index,
    problems,
    monitor,
    requests: () => requests,
    problem: () => monitor.state().problem?.kind,
    /** Advances the clock, with one check per second. */
    async pass(seconds: number) {
      for (let second = 0; second < seconds; second++) {
        await monitor.tick();
        time += 1_000;
      }
      await monitor.tick();
    },
    setHead(number: bigint) {
      head = number;
    },
    advanceIndex(block: bigint) {
      index.block = block;
      index.timestamp = timestampOf(block);
    },
    fork(from: bigint, name: string) {
      branches.push({ from, name });
    },
    fail(now: boolean) {
      failing = now;
    },
    pointElsewhere(id: number) {
      chainId = id;
    },
    replaceGenesis(branch: string) {
      genesisBranch = branch;
    },
  };
}

describe("the chain monitor", () => {
  it("reports no problem if the index agrees with the chain", async () => {
    const world = standIn();
    await world.pass(120);
    expect(world.problem()).toBeUndefined();
    expect(world.monitor.state()).toMatchObject({ head: { number: 200n }, blockSeconds: BLOCK_SECONDS });
    expect(world.monitor.state().comparedAt).toBeDefined();
  });

  it("sends few requests while nothing changes", async () => {
    const world = standIn();
    await world.pass(5);
    const before = world.requests();
    await world.pass(60);
    expect(world.requests() - before).toBeLessThanOrEqual(60);
  });

  it("does not count as compared before the chain has responded", async () => {
    const world = standIn();
    world.fail(true);
    await world.pass(30);
    expect(world.monitor.state().comparedAt).toBeUndefined();
    world.fail(false);
    await world.pass(1);
    expect(world.monitor.state().comparedAt).toBeDefined();
  });

  it("detects another chain id", async () => {
    const world = standIn();
    await world.pass(1);
    world.pointElsewhere(1);
    await world.pass(61);
    expect(world.monitor.state().problem).toEqual({
      kind: "chain-id",
      sentence: "The RPC serves chain 1 instead of 8453; check RPC_URL.",
    });
  });

  it("detects another genesis block", async () => {
    const world = standIn();
    await world.pass(1);
    world.replaceGenesis("other");
    await world.pass(61);
    expect(world.problem()).toBe("genesis");
    expect(world.monitor.state().problem?.sentence).toContain(hashOf("other", 0n));
  });

  it("detects a chain that stays behind the index, and clears the problem when it catches up", async () => {
    const world = standIn();
    await world.pass(10);
    world.setHead(195n);
    await world.pass(2);
    expect(world.problem()).toBeUndefined();
    await world.pass(1);
    expect(world.monitor.state().problem).toEqual({
      kind: "behind",
      sentence: "The chain's newest block is 195, behind block 200 of the index.",
    });
    world.setHead(200n);
    await world.pass(1);
    expect(world.problem()).toBeUndefined();
  });

  it("tolerates a node that is briefly behind", async () => {
    const world = standIn();
    for (let round = 0; round < 30; round++) {
      world.setHead(round % 3 === 0 ? 197n : 200n);
      await world.pass(1);
      expect(world.problem()).toBeUndefined();
    }
  });

  it("tolerates heads that are received late, behind an index that advances", async () => {
    const world = standIn();
    for (let block = 201n; block < 240n; block++) {
      world.advanceIndex(block);
      world.setHead(block - 2n);
      await world.pass(1);
      expect(world.problem()).toBeUndefined();
    }
  });

  describe("at an event of a pending block", () => {
    it("leaves an ordinary reorg to the indexer", async () => {
      const world = standIn();
      await world.pass(10);
      world.fork(180n, "fork");
      await world.pass(2);
      expect(world.problem()).toBeUndefined();
      world.index.newestEvent = { number: 191n, hash: hashOf("fork", 191n) };
      world.advanceIndex(201n);
      world.setHead(201n);
      await world.pass(60);
      expect(world.problem()).toBeUndefined();
    });

    it("detects a different hash that persists", async () => {
      const world = standIn();
      await world.pass(10);
      world.fork(180n, "fork");
      await world.pass(3);
      expect(world.monitor.state().problem).toEqual({
        kind: "other-hash",
        sentence: "Block 190 of the chain differs from the indexed block.",
      });
    });
  });

  describe("at an event of a finalized block", () => {
    it("detects a reorg beyond finality within seconds, and logs the repair command once", async () => {
      const world = standIn();
      await world.pass(10);
      world.fork(140n, "fork");
      await world.pass(8);
      expect(world.monitor.state().problem).toEqual({
        kind: "reorg-beyond-finality",
        sentence: "The chain replaced block 150, which was finalized; stop the indexer and run npm run reindex.",
      });
      await world.pass(60);
      expect(world.problems).toHaveLength(1);
    });

    it("detects one that happened while it was not running", async () => {
      const world = standIn();
      world.fork(140n, "fork");
      await world.pass(3);
      expect(world.problem()).toBe("reorg-beyond-finality");
    });

    it("needs two matching responses: a single wrong one changes nothing", async () => {
      const world = standIn();
      world.fork(140n, "fork");
      await world.monitor.tick();
      expect(world.problem()).toBeUndefined();
      world.fork(0n, "main");
      await world.pass(30);
      expect(world.problem()).toBeUndefined();
      expect(world.problems).toEqual([]);
    });

    it("clears the problem when the index is rebuilt", async () => {
      const world = standIn();
      world.fork(140n, "fork");
      await world.pass(10);
      expect(world.problem()).toBe("reorg-beyond-finality");
      world.index.newestEvent = { number: 190n, hash: hashOf("fork", 190n) };
      world.index.newestFinalizedEvent = { number: 145n, hash: hashOf("fork", 145n) };
      world.advanceIndex(201n);
      world.setHead(201n);
      await world.pass(2);
      expect(world.problem()).toBeUndefined();
    });
  });

  describe("at blocks without events", () => {
    const withoutEvents = () => {
      const world = standIn();
      world.index.newestEvent = null;
      world.index.newestFinalizedEvent = null;
      return world;
    };

    it("detects a reorg beyond finality by the last finalized block", async () => {
      const world = withoutEvents();
      await world.pass(10);
      world.fork(155n, "fork");
      await world.pass(8);
      expect(world.problem()).toBe("reorg-beyond-finality");
    });

    it("clears the problem when the indexer continues on the new branch", async () => {
      const world = withoutEvents();
      await world.pass(10);
      world.fork(155n, "fork");
      await world.pass(8);
      world.setHead(210n);
      world.advanceIndex(210n);
      await world.pass(10);
      expect(world.problem()).toBeUndefined();
    });

    it("detects a different hash at the index head when the chain advances and the index does not", async () => {
      const world = withoutEvents();
      await world.pass(10);
      world.fork(195n, "fork");
      world.setHead(205n);
      // The next comparison is at most 5 s later.
      await world.pass(9);
      expect(world.monitor.state().problem).toEqual({
        kind: "other-hash",
        sentence: "Block 200 of the chain differs from the indexed block.",
      });
    });

    it("tolerates a head that is replaced at the same height", async () => {
      const world = withoutEvents();
      await world.pass(10);
      world.fork(200n, "fork");
      await world.pass(60);
      expect(world.problem()).toBeUndefined();
    });
  });

  it("keeps its last state while requests fail", async () => {
    const world = standIn();
    await world.pass(10);
    world.fail(true);
    await world.pass(120);
    expect(world.problem()).toBeUndefined();
    world.fail(false);
    world.fork(140n, "fork");
    await world.pass(10);
    world.fail(true);
    await world.pass(120);
    expect(world.problem()).toBe("reorg-beyond-finality");
  });

  it("records when the index was last level, and estimates the remaining time", async () => {
    const world = standIn();
    world.index.historyDone = false;
    world.index.newestEvent = null;
    for (let block = 100n; block <= 150n; block += 10n) {
      world.advanceIndex(block);
      await world.pass(1);
    }
    expect(world.monitor.state().syncedAt).toBeUndefined();
    expect(world.monitor.state().etaSeconds).toBeGreaterThanOrEqual(4);
    expect(world.monitor.state().etaSeconds).toBeLessThanOrEqual(6);
    world.advanceIndex(200n);
    await world.pass(1);
    expect(world.monitor.state()).toMatchObject({ syncedAt: expect.any(Number), etaSeconds: 0 });
  });
});
