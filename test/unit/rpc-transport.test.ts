import { type Chain, createPublicClient } from "viem";
import { anvil } from "viem/chains";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type FollowedHead, followHead } from "../../rpc/follow-head";
import { rpcTransport } from "../../workarounds/rpc-transport";
import { block, type FakeNode, startFakeNode } from "../support/rpc-node";
import { fastTime } from "./fast-time";

fastTime();

const times = { intervalMs: 20, quietMs: 1_000, timeoutMs: 2_000 };

let node: FakeNode;
beforeEach(async () => {
  node = await startFakeNode();
  node.mine({ ...block(1), transactions: [{ hash: "0x1" }] });
});
afterEach(async () => {
  for (const head of followed.splice(0)) head.close();
  await node.close();
});

/** The heads that the transports of a test follow. */
const followed: FollowedHead[] = [];
const transportOf = () => rpcTransport({ urls: [node.url], ...times, onFollow: (head) => void followed.push(head) });

/** Creates the transport like Ponder does. */
const bucketOf = (transport: ReturnType<typeof rpcTransport>) => ({
  rpsLimit: 20,
  request: transport({ chain: anvil as Chain, retryCount: 0, timeout: 10_000 }).request,
});

const headPoll = { method: "eth_getBlockByNumber", params: ["latest", true] };

describe("Ponder's transport", () => {
  it("serves polls of the head from memory, with the newest block", async () => {
    const bucket = bucketOf(transportOf());
    expect(await bucket.request(headPoll)).toMatchObject({ hash: "a1", transactions: [{ hash: "0x1" }] });
    node.maxInFlight = 0;
    for (let round = 0; round < 20; round++) {
      await Promise.all(Array.from({ length: 25 }, () => bucket.request(headPoll)));
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(node.maxInFlight).toBe(1);
    expect(node.calls.filter((call) => call.startsWith("eth_getBlockByHash"))).toHaveLength(1);
    node.mine(block(2));
    await expect.poll(() => bucket.request(headPoll)).toMatchObject({ hash: "a2" });
  });

  it("serves polls of the header with transaction hashes, from the same memory", async () => {
    const bucket = bucketOf(transportOf());
    const header = await bucket.request({ method: "eth_getBlockByNumber", params: ["latest", false] });
    expect(header).toMatchObject({ hash: "a1", transactions: ["0x1"] });
    expect(node.maxInFlight).toBe(1);
  });

  it("follows the head from the first request on, and calls onFollow once", async () => {
    const bucket = bucketOf(transportOf());
    expect(followed).toHaveLength(0);
    await bucket.request({ method: "eth_chainId" });
    await bucket.request(headPoll);
    expect(followed).toHaveLength(1);
    node.mine(block(2));
    await expect.poll(() => followed[0]?.current()).toMatchObject({ number: 2n, hash: "a2" });
  });

  it("keeps its block complete when Ponder removes the transactions of a returned one", async () => {
    const bucket = bucketOf(transportOf());
    const given = (await bucket.request(headPoll)) as { transactions: unknown[] };
    given.transactions = [];
    expect(await bucket.request(headPoll)).toMatchObject({ transactions: [{ hash: "0x1" }] });
  });

  it("returns the last head while the node is away", async () => {
    const bucket = bucketOf(transportOf());
    await bucket.request(headPoll);
    node.intercept = (_, response) => !!response.socket?.destroy();
    const asked = node.calls.length;
    await expect.poll(() => node.calls.length).toBeGreaterThan(asked + 4);
    expect(await bucket.request(headPoll)).toMatchObject({ hash: "a1" });
  });

  it("passes all other calls on", async () => {
    node.has(block(3));
    const client = createPublicClient({ transport: transportOf() });
    expect(await client.getChainId()).toBe(31337);
    const bucket = bucketOf(transportOf());
    expect(await bucket.request({ method: "eth_getBlockByNumber", params: ["0x3", true] })).toMatchObject({
      hash: "a3",
    });
    expect(node.calls).toContain("eth_getBlockByNumber 0x3");
  });

  describe("for the logs of a block that the node does not know", () => {
    const logsOf = (blockHash: string) => ({ method: "eth_getLogs", params: [{ blockHash }] });
    const unknownBlock = { jsonrpc: "2.0", id: 1, error: { code: -32000, message: "unknown block" } };
    beforeEach(() => {
      node.intercept = ({ method }, response) => {
        if (method !== "eth_getLogs") return false;
        response.end(JSON.stringify(unknownBlock));
        return true;
      };
    });

    /** Ponder repeats a call that fails with any other error for a minute. */
    const isRetried = (error: Error & { code?: number }) =>
      error.code === undefined || !error.message.includes("revert");

    it("throws an error that Ponder does not retry, if a reorg has removed the block", async () => {
      const bucket = bucketOf(transportOf());
      await bucket.request(headPoll);
      node.forget();
      node.mine(block(1, "b"));
      const error = await bucket.request(logsOf("a1")).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: -32000, details: "Block a1 was reverted by a reorg" });
      expect(isRetried(error as Error)).toBe(false);
    });

    it("throws it too, if the chain got shorter and has no block at that height", async () => {
      const bucket = bucketOf(transportOf());
      node.mine(block(2));
      await bucket.request(headPoll);
      node.forget();
      node.mine(block(1));
      const error = await bucket.request(logsOf("a2")).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: -32000, details: "Block a2 was reverted by a reorg" });
    });

    it("throws the node's error, if a lagging node has the block after all", async () => {
      const bucket = bucketOf(transportOf());
      await bucket.request(headPoll);
      let nulls = 0;
      node.intercept = ({ id, method, params: [number] }, response) => {
        if (method !== "eth_getLogs" && (number !== "0x1" || nulls++ === 2)) return false;
        response.end(JSON.stringify(method === "eth_getLogs" ? unknownBlock : { jsonrpc: "2.0", id, result: null }));
        return true;
      };
      const error = await bucket.request(logsOf("a1")).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: -32000, details: "unknown block" });
      expect(nulls).toBe(3);
    });

    it("throws the node's error, if the block is on the chain or was never seen", async () => {
      const bucket = bucketOf(transportOf());
      await bucket.request(headPoll);
      for (const hash of ["a1", "c7"]) {
        const error = await bucket.request(logsOf(hash)).catch((thrown: unknown) => thrown);
        expect(error).toMatchObject({ code: -32000, details: "unknown block" });
        expect(isRetried(error as Error)).toBe(true);
      }
    });
  });

  it("lifts Ponder's limit of 20 requests per second", async () => {
    const bucket = bucketOf(transportOf());
    await bucket.request({ method: "eth_chainId" });
    expect(bucket.rpsLimit).toBe(10_000);
  });
});

describe("followHead", () => {
  it("returns the newest header from memory, and the last error", async () => {
    const head = followHead({ urls: [node.url], ...times });
    expect(head.current()).toBeUndefined();
    expect(await head.first()).toMatchObject({ number: 1n, hash: "a1", timestamp: 1_001n });
    node.mine(block(2));
    await expect.poll(() => head.current()?.number).toBe(2n);
    expect([head.lastError(), head.isAway()]).toEqual([undefined, false]);
    node.intercept = (_, response) => !!response.writeHead(503).end();
    await expect.poll(() => head.isAway()).toBe(true);
    expect(head.lastError()).toMatchObject({ status: 503 });
    expect(head.current()?.number).toBe(2n);
    node.intercept = () => false;
    node.mine(block(3));
    await expect.poll(() => head.current()?.number).toBe(3n);
    expect([head.lastError(), head.isAway()]).toEqual([undefined, false]);
    head.close();
  });
});
