import { pino } from "pino";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createClientLimits } from "../../api/core/client-limits";
import { TooMany } from "../../api/core/errors";
import { createGateway } from "../../api/gateway";
import type { Context } from "../../api/operations/context";
import { createPaymentLimits } from "../../api/payments/payment-limits";

const MINUTE = 60_000;

describe("the requests of a client", () => {
  it("are limited per minute, apart from other clients", () => {
    let time = 10 * MINUTE + 45_000;
    const { countRequests } = createClientLimits({ requestsPerMinute: 3, readsAtOnce: undefined }, () => time);
    for (let number = 0; number < 3; number++) countRequests("one");
    expect(() => countRequests("one")).toThrow("More than 3 requests in a minute; try again in 15 s");
    countRequests("other");
    time += 15_000;
    countRequests("one");
  });

  it("start from zero after a minute, also if the system's clock is set back by an hour", () => {
    vi.useFakeTimers({ toFake: ["Date", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const { countRequests } = createClientLimits({ requestsPerMinute: 3, readsAtOnce: undefined });
    const { begin } = createPaymentLimits(1);
    countRequests("one", 3);
    begin("one");
    vi.setSystemTime(Date.now() - 60 * MINUTE);
    for (const count of [() => countRequests("one"), () => begin("one")]) {
      const error = vi.fn(count);
      expect(error).toThrow(TooMany);
      const { value } = error.mock.results[0] ?? {};
      expect((value as TooMany).retryAfterSeconds).toBeLessThanOrEqual(60);
    }
    vi.advanceTimersByTime(MINUTE);
    countRequests("one", 3);
    begin("one");
  });

  it("count by the number of calls", () => {
    const { countRequests } = createClientLimits({ requestsPerMinute: 50, readsAtOnce: undefined }, () => 0);
    countRequests("one", 50);
    expect(() => countRequests("one")).toThrow(expect.objectContaining({ status: 429, limit: 50 }));
  });

  it("have no limit without a setting", () => {
    const { countRequests } = createClientLimits({ requestsPerMinute: undefined, readsAtOnce: undefined });
    for (let number = 0; number < 1_000; number++) countRequests("one", 1_000_000);
  });
});

/** Reads that end when `release` is called, and how many of them have run at the same time. */
function heldReads() {
  const state = { running: 0, most: 0 };
  const ends: (() => void)[] = [];
  const read = async <Value>(value: Value): Promise<Value> => {
    state.most = Math.max(state.most, ++state.running);
    await new Promise<void>((resolve) => ends.push(resolve));
    state.running--;
    return value;
  };
  const release = async (reads: Promise<unknown>) => {
    let isDone = false;
    const done = reads.finally(() => {
      isDone = true;
    });
    while (!isDone) {
      ends.splice(0).forEach((end) => {
        end();
      });
      await new Promise((resolve) => setImmediate(resolve));
    }
    await done;
  };
  return { state, read, release };
}

describe("the reads of a client", () => {
  const limits = (readsAtOnce: number) => createClientLimits({ requestsPerMinute: undefined, readsAtOnce });

  it("run at most `readsAtOnce` at a time, and don't delay other clients", async () => {
    const { runRead } = limits(2);
    const { state, read, release } = heldReads();
    const reads = Promise.all(Array.from({ length: 20 }, (_, number) => runRead("one", () => read(number))));
    expect(await runRead("other", async () => "served")).toBe("served");
    await release(reads);
    expect(await reads).toEqual(Array.from({ length: 20 }, (_, number) => number));
    expect(state).toEqual({ running: 0, most: 2 });
  });

  it("are rejected if more than 500 wait, and run again when the others are done", async () => {
    const { runRead } = limits(1);
    const { read, release } = heldReads();
    const reads = Promise.all(Array.from({ length: 501 }, () => runRead("one", () => read(0))));
    await expect(runRead("one", () => read(0))).rejects.toMatchObject({ status: 429, retryAfterSeconds: 1 });
    await release(reads);
    expect(await runRead("one", async () => "served")).toBe("served");
  });

  it("end with their own error", async () => {
    const failed = limits(1).runRead("one", () => Promise.reject(new Error("no such row")));
    await expect(failed).rejects.toThrow("no such row");
  });

  it("are limited over REST and in a tRPC and an MCP batch", async () => {
    const { state, read, release } = heldReads();
    const prepared = { fields: [], execute: () => read([]) };
    const db = {
      select: () => ({ from: () => ({ where: () => ({ prepare: () => prepared, toSQL: () => ({ sql: "" }) }) }) }),
    };
    const head = async () => ({ historyDone: true, block: 7n, timestamp: 1n, builtBlock: 7n, revision: "1" });
    const config = { trustProxy: true, writeTokens: [] };
    const context = { db, head, config, limits: limits(3) } as unknown as Context;
    const gateway = createGateway(context, pino({ level: "silent" }));
    const as = (client: string) => ({ "x-forwarded-for": client, "content-type": "application/json" });
    const statusOf = async (response: Response | Promise<Response>) => (await response).status;

    const rest = Array.from({ length: 10 }, (_, id) =>
      statusOf(gateway.request(`/agents/${id}`, { headers: as("192.0.2.1") })),
    );
    await release(Promise.all(rest));
    expect(new Set(await Promise.all(rest))).toEqual(new Set([404]));
    expect(state.most).toBe(3);

    state.most = 0;
    const input = Object.fromEntries(Array.from({ length: 10 }, (_, id) => [id, { agentId: String(id) }]));
    const names = Array(10).fill("agents.get").join(",");
    const query = `batch=1&input=${encodeURIComponent(JSON.stringify(input))}`;
    const trpc = statusOf(gateway.request(`/trpc/${names}?${query}`, { headers: as("192.0.2.1") }));
    await release(trpc);
    expect([await trpc, state.most]).toEqual([404, 3]);

    state.most = 0;
    const calls = Array.from({ length: 10 }, (_, id) => ({
      ...{ jsonrpc: "2.0", id, method: "tools/call" },
      params: { name: "agents_get", arguments: { agentId: String(id) } },
    }));
    const mcp = statusOf(
      gateway.request("/mcp", {
        method: "POST",
        headers: { ...as("192.0.2.1"), accept: "application/json, text/event-stream" },
        body: JSON.stringify(calls),
      }),
    );
    await release(mcp);
    expect([await mcp, state.most]).toEqual([200, 3]);
  });
});
