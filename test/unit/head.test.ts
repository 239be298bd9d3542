import { describe, test, vi } from "vitest";
import { CROSS_CHECK_MS, HeadFollower } from "../../rpc/head";
import { webSocketUrl } from "../../rpc/new-heads";
import { RpcPool } from "../../rpc/pool";
import { block, type FakeNode, startFakeNode } from "../support/rpc-node";
import { fastTime } from "./fast-time";

fastTime();

const INTERVAL_MS = 20;

type Settings = { full?: boolean; webSocket?: boolean; quietMs?: number; timeoutMs?: number };

/** The nodes of a test, and what follows them. */
class Chain {
  readonly nodes: FakeNode[] = [];
  follower: HeadFollower | undefined;
  #pool: RpcPool | undefined;

  async startNode(options?: Parameters<typeof startFakeNode>[0]): Promise<FakeNode> {
    const node = await startFakeNode(options);
    this.nodes.push(node);
    return node;
  }

  follow({ full = true, webSocket = false, quietMs = 60_000, timeoutMs = 2_000 }: Settings = {}): HeadFollower {
    const urls = this.nodes.map(({ url }) => url);
    this.#pool = new RpcPool(urls, timeoutMs);
    this.follower = new HeadFollower({
      pool: this.#pool,
      webSocketUrls: webSocket ? urls.map(webSocketUrl) : [],
      full,
      intervalMs: INTERVAL_MS,
      quietMs,
    });
    return this.follower;
  }

  readonly headHash = () => this.follower?.head?.block.hash;

  async close(): Promise<void> {
    this.follower?.close();
    this.#pool?.close();
    for (const node of this.nodes) await node.close();
  }
}

// The tests wait for polls most of the time, so they run at the same time.
const it = test.extend<{ chain: Chain }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of the fixtures that this one needs.
  chain: async ({}, use) => {
    const chain = new Chain();
    await use(chain);
    await chain.close();
  },
});

const polls = (node: FakeNode) => node.calls.filter((call) => call === "eth_getBlockByNumber latest").length;

/** Waits for a few more completed polls of the newest block. */
async function polled(node: FakeNode, times = 4): Promise<void> {
  const before = polls(node);
  await vi.waitUntil(() => polls(node) >= before + times, { interval: 5, timeout: 20_000 });
}

describe.concurrent("the head, by polling", () => {
  it("is the newest block with its transactions, and each block is fetched once", async ({ chain, expect }) => {
    const node = await chain.startNode();
    for (const number of [1, 2, 5]) {
      node.mine({ ...block(number), transactions: [{ hash: "0x1" }] });
      if (number === 1) chain.follow();
      await expect.poll(chain.headHash).toBe(`a${number}`);
      await polled(node);
    }
    expect(chain.follower?.head?.block).toMatchObject({ transactions: [{ hash: "0x1" }] });
    const fetched = node.calls.filter((call) => call.startsWith("eth_getBlockByHash"));
    expect(fetched).toEqual(["a1", "a2", "a5"].map((hash) => `eth_getBlockByHash ${hash}`));
  });

  it("is only the header if requested without transactions", async ({ chain, expect }) => {
    const node = await chain.startNode();
    node.mine(block(3));
    expect((await chain.follow({ full: false }).first()).block.hash).toBe("a3");
    expect(new Set(node.calls)).toEqual(new Set(["eth_getBlockByNumber latest"]));
  });

  it("has one request in flight, and polls a slow node less often", async ({ chain, expect }) => {
    const node = await chain.startNode();
    node.mine(block(1));
    const times: number[] = [];
    node.intercept = async () => {
      times.push(Date.now());
      await new Promise((resolve) => setTimeout(resolve, 200));
      return false;
    };
    await chain.follow().first();
    await polled(node, 3);
    expect(node.maxInFlight).toBe(1);
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    // 200 ms for the response, and half of that before the next poll.
    for (const gap of gaps.slice(2)) expect(gap).toBeGreaterThanOrEqual(290);
  });

  it.for([
    null,
    "5",
    {},
    { number: 5, hash: "a", timestamp: "0x1" },
    { number: "0x", hash: "a", timestamp: "0x1" },
    { number: `0x${"f".repeat(17)}`, hash: "", timestamp: "0x1" },
  ])("ignores a response that is not a block: %j", async (invalid, { chain, expect }) => {
    const node = await chain.startNode();
    node.mine(block(5));
    await chain.follow().first();
    node.latest = invalid;
    await polled(node);
    expect(chain.headHash()).toBe("a5");
    expect(chain.follower?.lastError).toBeDefined();
    node.mine(block(6));
    await expect.poll(chain.headHash).toBe("a6");
    expect(chain.follower?.lastError).toBeUndefined();
  });

  it("rejects with the error of the first attempt", async ({ chain, expect }) => {
    const node = await chain.startNode();
    node.intercept = (_, response) => !!response.writeHead(404).end("no such node");
    await expect(chain.follow().first()).rejects.toThrow("no such node");
  });

  it("stops polling when it is closed", async ({ chain, expect }) => {
    const node = await chain.startNode();
    node.mine(block(1));
    await chain.follow().first();
    chain.follower?.close();
    await new Promise((resolve) => setTimeout(resolve, 3 * INTERVAL_MS));
    const asked = node.calls.length;
    await new Promise((resolve) => setTimeout(resolve, 5 * INTERVAL_MS));
    expect(node.calls).toHaveLength(asked);
  });
});

describe.concurrent("a head that is not newer than the last", () => {
  const at5 = async (chain: Chain) => {
    const node = await chain.startNode();
    node.mine(block(5));
    await chain.follow().first();
    return node;
  };

  it("is ignored while the node still has the last head", async ({ chain, expect }) => {
    const node = await at5(chain);
    for (const older of [block(4), block(1), block(5, "b")]) {
      // The node still has the previous block.
      node.latest = older;
      await polled(node);
      expect(chain.headHash()).toBe("a5");
    }
    expect(node.calls).toContain("eth_getBlockByNumber 0x5");
    node.mine(block(6));
    await expect.poll(chain.headHash).toBe("a6");
  });

  it("replaces the last head if the node has another block at its height", async ({ chain, expect }) => {
    const node = await at5(chain);
    node.mine(block(5, "b"));
    await expect.poll(chain.headHash).toBe("b5");
    node.has(block(5, "c"));
    node.mine(block(4, "c"));
    await expect.poll(chain.headHash).toBe("c4");
  });

  it("replaces the last head if the node doesn't find it three times in a row", async ({ chain, expect }) => {
    const node = await at5(chain);
    let denials = 0;
    node.intercept = ({ params: [number] }, response) => {
      if (number !== "0x5") return false;
      denials++;
      // The third response contains the block, which resets the count.
      const result = denials === 3 ? block(5) : null;
      response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, result }));
      return true;
    };
    node.latest = node.has(block(3));
    await expect.poll(chain.headHash).toBe("a3");
    expect(denials).toBe(6);
  });

  it.for(["disconnects", "truncates", "is busy"] as const)(
    "is ignored when the node %s",
    async (how, { chain, expect }) => {
      const [first, second] = [await chain.startNode(), await chain.startNode()];
      first.mine(block(5));
      second.mine(block(4));
      await chain.follow().first();
      expect(chain.headHash()).toBe("a5");
      first.intercept = (_, response) => {
        if (how === "disconnects") response.socket?.destroy();
        else if (how === "is busy") response.writeHead(429).end();
        else response.writeHead(200, { "content-length": 100 }).write("{", () => response.socket?.destroy());
        return true;
      };
      await polled(second, 6);
      expect(chain.headHash()).toBe("a5");
      second.mine(block(6));
      await expect.poll(chain.headHash).toBe("a6");
    },
  );
});

describe("several nodes", () => {
  it("follows another node when the first is away, and finds newer blocks of other nodes", async ({
    chain,
    expect,
  }) => {
    const [first, second] = [await chain.startNode(), await chain.startNode()];
    for (const node of [first, second]) node.mine(block(1));
    await chain.follow().first();
    second.mine(block(2));
    await polled(first);
    expect(chain.headHash()).toBe("a1");
    vi.advanceTimersByTime(CROSS_CHECK_MS);
    await expect.poll(chain.headHash).toBe("a2");
    await second.close();
    first.mine(block(3));
    await expect.poll(chain.headHash).toBe("a3");
  });
});

describe.concurrent("the head, by newHeads", () => {
  const subscribed = async (chain: Chain, settings: Settings = {}) => {
    const node = await chain.startNode({ webSocket: true });
    node.mine(block(1));
    await chain.follow({ webSocket: true, ...settings }).first();
    await vi.waitUntil(() => node.subscribers() === 1, { timeout: 20_000 });
    // The poll that was in flight when the subscription started.
    await new Promise((resolve) => setTimeout(resolve, 5 * INTERVAL_MS));
    node.calls.length = 0;
    return node;
  };

  it("is the announced block, fetched once, without polling", async ({ chain, expect }) => {
    const node = await subscribed(chain);
    for (const number of [2, 3]) {
      node.announce(node.mine(block(number)));
      await expect.poll(chain.headHash).toBe(`a${number}`);
    }
    expect(node.calls).toEqual(["eth_getBlockByHash a2", "eth_getBlockByHash a3"]);
  });

  it("needs no request if the header is sufficient", async ({ chain, expect }) => {
    const node = await subscribed(chain, { full: false });
    node.announce(node.mine(block(2)));
    await expect.poll(chain.headHash).toBe("a2");
    expect(node.calls).toEqual([]);
  });

  it("fetches only the newest of many announced blocks", async ({ chain, expect }) => {
    const node = await subscribed(chain);
    for (let number = 2; number <= 50; number++) node.announce(node.mine(block(number)));
    await expect.poll(chain.headHash).toBe("a50");
    expect(node.calls.length).toBeLessThanOrEqual(4);
    expect(node.maxInFlight).toBe(1);
  });

  it("goes back after an announced reorg", async ({ chain, expect }) => {
    const node = await subscribed(chain);
    node.announce(node.mine(block(5)));
    await expect.poll(chain.headHash).toBe("a5");
    node.has(block(5, "b"));
    node.announce(node.mine(block(4, "b")));
    await expect.poll(chain.headHash).toBe("b4");
  });

  it("falls back to polling when the socket breaks, and subscribes again", async ({ chain, expect }) => {
    const node = await subscribed(chain);
    node.dropSockets();
    node.mine(block(2));
    await expect.poll(chain.headHash).toBe("a2");
    await expect.poll(() => node.subscribers(), { timeout: 5_000 }).toBe(1);
  });

  it("polls only the height of a quiet node, and notices when it decreases", async ({ chain, expect }) => {
    const node = await subscribed(chain, { quietMs: 100 });
    await expect.poll(() => node.calls.length).toBeGreaterThan(3);
    expect(new Set(node.calls)).toEqual(new Set(["eth_blockNumber"]));
    // A confirmed head counts as a response: a chain without new blocks is not silent.
    const receivedAt = chain.follower?.head?.receivedAt ?? 0;
    await expect.poll(() => chain.follower?.head?.receivedAt).toBeGreaterThan(receivedAt);
    node.forget();
    node.mine(block(0));
    await expect.poll(chain.headHash).toBe("a0");
  });

  it("polls a quiet subscription, and replaces one that misses blocks", async ({ chain, expect }) => {
    const node = await subscribed(chain, { quietMs: 150 });
    const socketsBefore = node.connections();
    for (const number of [2, 3]) {
      node.mine(block(number));
      await expect.poll(chain.headHash).toBe(`a${number}`);
    }
    await expect.poll(() => node.connections(), { timeout: 5_000 }).toBe(socketsBefore + 1);
  });
});
