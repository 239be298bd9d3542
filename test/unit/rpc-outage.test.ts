import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { HeadFollower } from "../../rpc/head";
import { MAX_IN_FLIGHT, MAX_PROBES } from "../../rpc/node";
import { RpcPool } from "../../rpc/pool";
import { block, type FakeBlock } from "../support/rpc-node";

const OUTAGE_MS = 60_000;
const CAUGHT_UP_MS = 10_000;
/** The timeout of requests on a local chain, except for light ones. */
const TIMEOUT_MS = 30_000;

/** A node without a network, so that time can be fake. */
const node = {
  newest: block(1) as FakeBlock,
  fate: "responds" as "responds" | "limits" | "refuses" | "is silent",
  calls: [] as string[],
  inFlight: 0,
  maxInFlight: 0,
};

const URL_OF_NODE = "http://node.test";
const otherFetch = globalThis.fetch;

const respond: typeof fetch = async (url, init) => {
  // Followers of other test files in this thread may still poll.
  if (url !== URL_OF_NODE) return otherFetch(url, init);
  const { method } = JSON.parse(String(init?.body));
  node.calls.push(method);
  node.maxInFlight = Math.max(node.maxInFlight, ++node.inFlight);
  try {
    if (node.fate === "limits") return new Response("slow down", { status: 429 });
    if (node.fate === "refuses") throw new TypeError("fetch failed");
    if (node.fate === "is silent")
      await new Promise((_resolve, reject) =>
        init?.signal?.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError"))),
      );
    const result = method === "eth_getBlockByNumber" ? node.newest : "0x1";
    return Response.json({ jsonrpc: "2.0", id: 1, result });
  } finally {
    node.inFlight--;
  }
};

describe("an outage of an RPC node, in fake time", () => {
  let pool: RpcPool;
  let follower: HeadFollower;
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"] });
    vi.stubGlobal("fetch", respond);
    Object.assign(node, { newest: block(1), fate: "responds", calls: [], inFlight: 0, maxInFlight: 0 });
    pool = new RpcPool([URL_OF_NODE], TIMEOUT_MS);
    follower = new HeadFollower({ pool, webSocketUrls: [], full: false, intervalMs: 100, quietMs: 500 });
    await follower.first();
  });
  afterEach(() => {
    follower.close();
    pool.close();
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it.each(["refuses", "is silent"] as const)(
    "that %s for 60 s after 429s is bounded, and ends within 10 s of its return",
    async (fate) => {
      node.fate = "limits";
      const queued = Array.from({ length: 50 }, () => pool.request({ method: "eth_getTransactionCount" }));
      await vi.advanceTimersByTimeAsync(200);
      node.fate = fate;
      // Requests that were in flight when the outage began.
      await vi.advanceTimersByTimeAsync(5_000);
      node.calls.length = 0;
      await vi.advanceTimersByTimeAsync(OUTAGE_MS);
      // About one probe per second.
      expect(node.calls.length).toBeGreaterThan(5);
      expect(node.calls.length).toBeLessThanOrEqual(75);
      expect(node.maxInFlight).toBeLessThanOrEqual(MAX_IN_FLIGHT + MAX_PROBES);
      expect(pool.nodes[0]?.isDown).toBe(true);
      node.fate = "responds";
      node.newest = block(30);
      await vi.advanceTimersByTimeAsync(CAUGHT_UP_MS);
      expect(follower.head?.block.hash).toBe("a30");
      expect(await Promise.all(queued)).toHaveLength(50);
      expect(node.maxInFlight).toBeLessThanOrEqual(MAX_IN_FLIGHT + MAX_PROBES);
    },
  );
});
