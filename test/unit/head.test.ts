import { afterEach, describe, expect, it } from "vitest";
import { HeadFollower } from "../../rpc/head";
import { webSocketUrl } from "../../rpc/new-heads";
import { RpcPool } from "../../rpc/pool";
import { block, type FakeBlock, type FakeNode, startFakeNode } from "../support/rpc-node";

const INTERVAL_MS = 20;

let nodes: FakeNode[] = [];
let follower: HeadFollower | undefined;

afterEach(async () => {
  follower?.close();
  for (const node of nodes) await node.close();
  nodes = [];
});

async function startNode(options?: Parameters<typeof startFakeNode>[0]): Promise<FakeNode> {
  const node = await startFakeNode(options);
  nodes.push(node);
  return node;
}

type Settings = { full?: boolean; webSocket?: boolean; quietMs?: number; timeoutMs?: number };

function follow({ full = true, webSocket = false, quietMs = 60_000, timeoutMs = 2_000 }: Settings = {}): HeadFollower {
  const urls = nodes.map(({ url }) => url);
  follower = new HeadFollower({
    pool: new RpcPool(urls, timeoutMs),
    webSocketUrls: webSocket ? urls.map(webSocketUrl) : [],
    full,
    intervalMs: INTERVAL_MS,
    quietMs,
  });
  return follower;
}

const headHash = () => follower?.head?.block.hash;
const polls = (node: FakeNode) => node.calls.filter((call) => call === "eth_getBlockByNumber latest").length;

/** Waits for a few more completed polls of the newest block. */
async function polled(node: FakeNode, times = 4): Promise<void> {
  const before = polls(node);
  await expect.poll(() => polls(node), { interval: 5 }).toBeGreaterThanOrEqual(before + times);
}

describe("the head, by polling", () => {
  it("is the newest block with its transactions, and each block is fetched once", async () => {
    const node = await startNode();
    for (const number of [1, 2, 5]) {
      node.mine({ ...block(number), transactions: [{ hash: "0x1" }] });
      if (number === 1) follow();
      await expect.poll(headHash).toBe(`a${number}`);
      await polled(node);
    }
    expect(follower?.head?.block).toMatchObject({ transactions: [{ hash: "0x1" }] });
    const fetched = node.calls.filter((call) => call.startsWith("eth_getBlockByHash"));
    expect(fetched).toEqual(["a1", "a2", "a5"].map((hash) => `eth_getBlockByHash ${hash}`));
  });

  it("is only the header if requested without transactions", async () => {
    const node = await startNode();
    node.mine(block(3));
    expect((await follow({ full: false }).first()).block.hash).toBe("a3");
    expect(new Set(node.calls)).toEqual(new Set(["eth_getBlockByNumber latest"]));
  });

  it("has one request in flight, and polls a slow node less often", async () => {
    const node = await startNode();
    node.mine(block(1));
    const times: number[] = [];
    node.intercept = async () => {
      times.push(Date.now());
      await new Promise((resolve) => setTimeout(resolve, 200));
      return false;
    };
    await follow().first();
    await polled(node, 3);
    expect(node.maxInFlight).toBe(1);
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    // 200 ms for the response, and half of that before the next poll.
    for (const gap of gaps.slice(2)) expect(gap).toBeGreaterThanOrEqual(290);
  });

  it.each([
    null,
    "5",
    {},
    { number: 5, hash: "a", timestamp: "0x1" },
    { number: "0x", hash: "a", timestamp: "0x1" },
    { number: `0x${"f".repeat(17)}`, hash: "", timestamp: "0x1" },
  ])("ignores a response that is not a block: %j", async (invalid) => {
    const node = await startNode();
    node.mine(block(5));
    await follow().first();
    node.latest = invalid;
    await polled(node);
    expect(headHash()).toBe("a5");
    expect(follower?.lastError).toBeDefined();
    node.mine(block(6));
    await expect.poll(headHash).toBe("a6");
    expect(follower?.lastError).toBeUndefined();
  });

  it("rejects with the error of the first attempt", async () => {
    const node = await startNode();
    node.intercept = (_, response) => !!response.writeHead(404).end("no such node");
    await expect(follow().first()).rejects.toThrow("no such node");
  });

  it("stops polling when it is closed", async () => {
    const node = await startNode();
    node.mine(block(1));
    await follow().first();
    follower?.close();
    await new Promise((resolve) => setTimeout(resolve, 3 * INTERVAL_MS));
    const asked = node.calls.length;
    await new Promise((resolve) => setTimeout(resolve, 5 * INTERVAL_MS));
    expect(node.calls).toHaveLength(asked);
  });
});

describe("a head that is not newer than the last", () => {
  let node: FakeNode;
  const at5 = async () => {
    node = await startNode();
    node.mine(block(5));
    await follow().first();
  };
  /** The node returns another newest block, and still has the previous one. */
  const gives = async (one: FakeBlock) => {
    node.latest = one;
    await polled(node);
  };

  it("is ignored while the node still has the last head", async () => {
    await at5();
    for (const older of [block(4), block(1), block(5, "b")]) {
      await gives(older);
      expect(headHash()).toBe("a5");
    }
    expect(node.calls).toContain("eth_getBlockByNumber 0x5");
    node.mine(block(6));
    await expect.poll(headHash).toBe("a6");
  });

  it("replaces the last head if the node has another block at its height", async () => {
    await at5();
    node.mine(block(5, "b"));
    await expect.poll(headHash).toBe("b5");
    node.has(block(5, "c"));
    node.mine(block(4, "c"));
    await expect.poll(headHash).toBe("c4");
  });

  it("replaces the last head if the node doesn't find it three times in a row", async () => {
    await at5();
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
    await expect.poll(headHash).toBe("a3");
    expect(denials).toBe(6);
  });

  it.each(["disconnects", "truncates", "is busy"] as const)("is ignored when the node %s", async (how) => {
    const [first, second] = [await startNode(), await startNode()];
    first.mine(block(5));
    second.mine(block(4));
    await follow().first();
    expect(headHash()).toBe("a5");
    first.intercept = (_, response) => {
      if (how === "disconnects") response.socket?.destroy();
      else if (how === "is busy") response.writeHead(429).end();
      else response.writeHead(200, { "content-length": 100 }).write("{", () => response.socket?.destroy());
      return true;
    };
    await polled(second, 6);
    expect(headHash()).toBe("a5");
    second.mine(block(6));
    await expect.poll(headHash).toBe("a6");
  });
});

describe("several nodes", () => {
  it("follows another node when the first is away, and finds newer blocks of other nodes", async () => {
    const [first, second] = [await startNode(), await startNode()];
    for (const node of [first, second]) node.mine(block(1));
    await follow().first();
    second.mine(block(2));
    await expect.poll(headHash, { timeout: 10_000 }).toBe("a2");
    await second.close();
    first.mine(block(3));
    await expect.poll(headHash, { timeout: 10_000 }).toBe("a3");
  });
});

describe("the head, by newHeads", () => {
  const subscribed = async (settings: Settings = {}) => {
    const node = await startNode({ webSocket: true });
    node.mine(block(1));
    await follow({ webSocket: true, ...settings }).first();
    await expect.poll(() => node.subscribers()).toBe(1);
    // The poll that was in flight when the subscription started.
    await new Promise((resolve) => setTimeout(resolve, 5 * INTERVAL_MS));
    node.calls.length = 0;
    return node;
  };

  it("is the announced block, fetched once, without polling", async () => {
    const node = await subscribed();
    for (const number of [2, 3]) {
      node.announce(node.mine(block(number)));
      await expect.poll(headHash).toBe(`a${number}`);
    }
    expect(node.calls).toEqual(["eth_getBlockByHash a2", "eth_getBlockByHash a3"]);
  });

  it("needs no request if the header is sufficient", async () => {
    const node = await subscribed({ full: false });
    node.announce(node.mine(block(2)));
    await expect.poll(headHash).toBe("a2");
    expect(node.calls).toEqual([]);
  });

  it("fetches only the newest of many announced blocks", async () => {
    const node = await subscribed();
    for (let number = 2; number <= 50; number++) node.announce(node.mine(block(number)));
    await expect.poll(headHash).toBe("a50");
    expect(node.calls.length).toBeLessThanOrEqual(4);
    expect(node.maxInFlight).toBe(1);
  });

  it("goes back after an announced reorg", async () => {
    const node = await subscribed();
    node.announce(node.mine(block(5)));
    await expect.poll(headHash).toBe("a5");
    node.has(block(5, "b"));
    node.announce(node.mine(block(4, "b")));
    await expect.poll(headHash).toBe("b4");
  });

  it("falls back to polling when the socket breaks, and subscribes again", async () => {
    const node = await subscribed();
    node.dropSockets();
    node.mine(block(2));
    await expect.poll(headHash).toBe("a2");
    await expect.poll(() => node.subscribers(), { timeout: 5_000 }).toBe(1);
  });

  it("polls only the height of a quiet node, and notices when it decreases", async () => {
    const node = await subscribed({ quietMs: 100 });
    await expect.poll(() => node.calls.length).toBeGreaterThan(3);
    expect(new Set(node.calls)).toEqual(new Set(["eth_blockNumber"]));
    // A confirmed head counts as a response: a chain without new blocks is not silent.
    const receivedAt = follower?.head?.receivedAt ?? 0;
    await expect.poll(() => follower?.head?.receivedAt).toBeGreaterThan(receivedAt);
    node.forget();
    node.mine(block(0));
    await expect.poll(headHash).toBe("a0");
  });

  it("polls a quiet subscription, and replaces one that misses blocks", async () => {
    const node = await subscribed({ quietMs: 150 });
    const socketsBefore = node.connections();
    for (const number of [2, 3]) {
      node.mine(block(number));
      await expect.poll(headHash).toBe(`a${number}`);
    }
    await expect.poll(() => node.connections(), { timeout: 5_000 }).toBe(socketsBefore + 1);
  });
});
