import { HttpRequestError, RpcRequestError } from "viem";
import { afterAll, describe, expect, it } from "vitest";
import { MAX_IN_FLIGHT } from "../../rpc/node";
import { type OnNodeChange, RpcPool } from "../../rpc/pool";
import { type FakeNode, startFakeNode } from "../support/rpc-node";
import { fastTime } from "./fast-time";

fastTime();

const opened: { close: () => unknown }[] = [];

afterAll(async () => {
  for (const one of opened) await one.close();
});

async function start(
  count = 1,
  { timeoutMs = 2_000, onNodeChange }: { timeoutMs?: number; onNodeChange?: OnNodeChange } = {},
) {
  const nodes = await Promise.all(Array.from({ length: count }, () => startFakeNode()));
  const pool = new RpcPool(
    nodes.map(({ url }) => url),
    timeoutMs,
    onNodeChange,
  );
  opened.push(pool, ...nodes);
  const [first, second] = nodes as [FakeNode, FakeNode];
  return { pool, first, second };
}

const call = { method: "eth_getLogs", params: ["x"] };
const isProbe = (text: string) => text === "eth_chainId";

// Most tests wait.
describe.concurrent("requests to a node", () => {
  it("are limited to 16 at a time", async ({ expect }) => {
    // A request that timed out would be sent again.
    const { pool, first } = await start(1, { timeoutMs: 120_000 });
    await Promise.all(Array.from({ length: 100 }, () => pool.request(call)));
    const held: (() => void)[] = [];
    first.intercept = () => new Promise((resolve) => held.push(() => resolve(false)));
    const requests = Array.from({ length: 100 }, () => pool.request(call));
    await expect.poll(() => held.length, { timeout: 60_000 }).toBe(MAX_IN_FLIGHT);
    first.intercept = () => false;
    for (const release of held) release();
    await Promise.all(requests);
    expect(first.calls).toHaveLength(200);
    expect(first.maxInFlight).toBe(MAX_IN_FLIGHT);
  });

  it("have lower concurrency after failures, and higher again after successes", async ({ expect }) => {
    const { pool, first } = await start();
    let failing = true;
    first.intercept = (_, response) => failing && !!response.writeHead(503).end();
    const request = pool.request(call);
    await expect.poll(() => pool.nodes[0]?.limit).toBeLessThanOrEqual(2);
    failing = false;
    await request;
    await Promise.all(Array.from({ length: 60 }, () => pool.request(call)));
    expect(pool.nodes[0]?.limit).toBeGreaterThan(8);
  });

  it.each([
    ["HTTP 429", 429, "slow down"],
    ["HTTP 502", 502, "bad gateway"],
    ["a JSON-RPC limit error", 200, '{"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"limit exceeded"}}'],
    ["a response that is not JSON", 200, "<html>"],
  ])("are retried after %s", async (_, status, body) => {
    const { pool, first } = await start();
    first.intercept = (_call, response) => first.calls.length < 3 && !!response.writeHead(status).end(body);
    expect((await pool.request({ method: "eth_getBlockByNumber", params: ["latest", false] })).result).toBeTruthy();
    expect(first.calls).toHaveLength(3);
  });

  it("fail immediately with the node's own error", async ({ expect }) => {
    const { pool, first } = await start();
    const error = { code: -32602, message: "block range is too wide" };
    first.intercept = (_, response) => !!response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, error }));
    const failure = await pool.request(call).catch((reason: unknown) => reason);
    expect(failure).toBeInstanceOf(RpcRequestError);
    expect(failure).toMatchObject({ code: -32602, details: "block range is too wide" });
    first.intercept = (_, response) => !!response.writeHead(404).end();
    const missing = await pool.request(call).catch((reason: unknown) => reason);
    expect(missing).toBeInstanceOf(HttpRequestError);
    expect(missing).toMatchObject({ status: 404 });
    expect(first.calls).toHaveLength(2);
  });

  it("fail after five attempts while other requests succeed", async ({ expect }) => {
    const { pool, first } = await start();
    first.intercept = ({ method }, response) => method === "eth_getLogs" && !!response.writeHead(500).end();
    await expect(pool.request(call)).rejects.toMatchObject({ status: 500 });
    expect(first.calls.filter((text) => !isProbe(text))).toHaveLength(5);
  });

  it("follow the Retry-After of a 429", async ({ expect }) => {
    const { pool, first } = await start();
    first.intercept = (_, response) =>
      first.calls.length === 1 && !!response.writeHead(429, { "retry-after": "1" }).end();
    const startedAt = Date.now();
    await Promise.all([pool.request(call), pool.request(call)]);
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(1_000);
  });
});

describe.concurrent("a node that is away", () => {
  it("gets one probe at a time, and the queued requests when it is back", async ({ expect }) => {
    const changes: unknown[] = [];
    const { pool, first } = await start(1, { onNodeChange: (change) => changes.push(change) });
    let isDown = true;
    first.intercept = (_, response) => isDown && !!response.socket?.destroy();
    const requests = Promise.all(Array.from({ length: 50 }, () => pool.request(call)));
    await expect.poll(() => pool.nodes[0]?.isDown && pool.nodes[0].inFlight <= 1).toBe(true);
    first.calls.length = 0;
    first.maxInFlight = 0;
    const clearedAt = Date.now();
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    expect(first.calls.every(isProbe)).toBe(true);
    // At most three probes per second, however long the wait took on a busy machine.
    expect(first.calls.length).toBeLessThanOrEqual(1 + (3 * (Date.now() - clearedAt)) / 1_000);
    expect(first.maxInFlight).toBe(1);
    isDown = false;
    first.calls.length = 0;
    expect(await requests).toHaveLength(50);
    // One probe may have been under way; the next one finds the node, and the requests follow.
    expect(first.calls.findIndex((text) => !isProbe(text))).toBeLessThanOrEqual(2);
    expect(changes).toMatchObject([{ away: true }, { away: false }]);
  });

  it("that never responds gets pending requests again when it is back", async ({ expect }) => {
    const { pool, first } = await start(1, { timeoutMs: 30_000 });
    let silent = true;
    first.intercept = ({ method }, response) => {
      if (silent && method === "eth_getBlockByNumber") response.socket?.destroy();
      return silent;
    };
    const lost = pool.request(call);
    // Failed requests make the pool notice.
    const others = [1, 2, 3].map(() => pool.request({ method: "eth_getBlockByNumber", params: ["latest", false] }));
    await expect.poll(() => pool.nodes[0]?.isDown).toBe(true);
    silent = false;
    await Promise.all([lost, ...others]);
  });
});

describe("several nodes", () => {
  it("are used in their order, the next one when the first is busy or away", async () => {
    const { pool, first, second } = await start(2);
    await pool.request(call);
    expect([first.calls.length, second.calls.length]).toEqual([1, 0]);
    first.intercept = () => new Promise((resolve) => setTimeout(() => resolve(false), 200));
    await Promise.all(Array.from({ length: 12 }, () => pool.request(call)));
    expect(second.calls.length).toBeGreaterThan(0);
    first.intercept = (_, response) => !!response.socket?.destroy();
    await Promise.all(Array.from({ length: 20 }, () => pool.request(call)));
    expect(pool.nodes.map(({ isDown }) => isDown)).toEqual([true, false]);
  });
});
