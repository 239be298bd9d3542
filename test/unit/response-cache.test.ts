import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { drizzle } from "drizzle-orm/node-postgres";
import { Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import type pg from "pg";
import { pino } from "pino";
import { describe, expect, it, vi } from "vitest";
import { BadInput, NotFound, TooMany } from "../../api/core/errors";
import { type AnyCall, type Caller, type Dependency, z } from "../../api/core/operation";
import { createGateway } from "../../api/gateway";
import { failureOf } from "../../api/http/failure";
import { type Env, jsonReply, reply, taggedReply } from "../../api/http/reply";
import { fromCache, ResponseCache } from "../../api/http/response-cache";
import type { IndexHead } from "../../api/indexed/head";
import type { Context } from "../../api/operations/context";
import { parseEnvironment } from "../../config/environment";

const SECOND = 4_000_000_000n;

type Read = (c: { caller: Caller; number: number }) => Promise<string>;

/** An app with one cached read over an index and a store whose revisions the test sets. Its body is the number of computations so far. */
function openCache(dependsOn: readonly Dependency[] = ["index"], maxBytes = 1_000_000) {
  const head: IndexHead = {
    historyDone: true,
    isComplete: true,
    block: 1n,
    timestamp: SECOND,
    builtBlock: 1n,
    revision: "a",
  };
  const state = { head, store: "1", isFresh: true, reads: 0, computed: 0, isLimited: false };
  const shared = <Value>(value: () => Value) => ({
    peek: () => (state.isFresh ? value() : undefined),
    read: async () => {
      state.reads++;
      return value();
    },
  });
  const cache = new ResponseCache({
    maxBytes,
    indexHead: shared(() => state.head),
    storeRevision: shared(() => state.store),
  });
  const operation = { route: "GET /test", input: z.object({ key: z.string() }), dependsOn } as unknown as AnyCall;
  let read: Read = async ({ number }) => String(number);
  const app = new Hono<Env>();
  app.use(async (c, next) => {
    const baseUrl = c.req.query("base") ?? "";
    c.set("requestId", c.req.header("x-request-id") ?? "");
    c.set("start", performance.now());
    c.set("log", pino({ level: "silent" }));
    c.set("caller", { baseUrl, client: "one", hasWriteToken: false, isLimited: state.isLimited });
    await next();
  });
  const serve = fromCache(cache, operation, async (c) =>
    taggedReply(await read({ caller: c.var.caller, number: ++state.computed }), "text/plain"),
  );
  app.get("/", (c) => serve(c, { key: c.req.query("key") }));
  app.onError((error, c) => {
    const { status, message } = failureOf(error);
    return reply(c, jsonReply({ message }, status));
  });
  const request = async (key = "one", query = "", headers = {}) => app.request(`/?key=${key}${query}`, { headers });
  const get = async (key?: string, query?: string) => (await request(key, query)).text();
  const readWith = (next: Read) => {
    read = next;
  };
  return { cache, state, request, get, readWith };
}

/** A read that waits until the test lets it finish. */
function slowRead() {
  const finish: (() => void)[] = [];
  const read: Read = ({ number }) => new Promise((resolve) => finish.push(() => resolve(String(number))));
  return { read, finish };
}

describe("the response cache", () => {
  it("serves a kept response without a computation or a read", async () => {
    const { state, get } = openCache(["index", "store", "time"]);
    expect([await get(), await get()]).toEqual(["1", "1"]);
    expect(state).toMatchObject({ computed: 1, reads: 0 });
  });

  it("has the ETag, length and type of the response, and replies with 304 to the tag", async () => {
    const { request } = openCache();
    const first = Object.fromEntries((await request()).headers);
    expect(first).toMatchObject({ "content-type": "text/plain", "content-length": "1", "x-index-block": "1" });
    const kept = await request("one", "", { "x-request-id": "2" });
    expect(Object.fromEntries(kept.headers)).toEqual({ ...first, "x-request-id": "2" });
    const unchanged = await request("one", "", { "if-none-match": first.etag });
    expect([unchanged.status, await unchanged.text()]).toEqual([304, ""]);
    expect(unchanged.headers.get("etag")).toBe(first.etag);
    expect(unchanged.headers.get("content-length")).toBeNull();
  });

  it("keeps responses by input, however it is spelled", async () => {
    const { get } = openCache();
    const replies = [await get("one"), await get("two"), await get("one", "&base=b"), await get("%6fne", "&")];
    expect(replies).toEqual(["1", "2", "1", "1"]);
  });

  it("keeps responses that contain the base URL for each base URL", async () => {
    const { get } = openCache(["index", "baseUrl"]);
    expect([await get("one"), await get("one", "&base=b"), await get("one")]).toEqual(["1", "2", "1"]);
  });

  it("computes again when the index has another revision, also at the same height", async () => {
    const { state, get } = openCache();
    await get();
    state.head = { ...state.head, revision: "b" };
    expect([await get(), await get()]).toEqual(["2", "2"]);
  });

  it("reads the revision first if the last read is too old", async () => {
    const { state, get } = openCache();
    await get();
    state.isFresh = false;
    expect(await get()).toBe("1");
    expect(state.reads).toBe(1);
    state.head = { ...state.head, revision: "b" };
    expect(await get()).toBe("2");
  });

  it("ignores the store for responses that don't depend on it", async () => {
    const indexOnly = openCache(["index"]);
    await indexOnly.get();
    indexOnly.state.store = "2";
    expect(await indexOnly.get()).toBe("1");
    const both = openCache(["index", "store"]);
    await both.get();
    both.state.store = "2";
    expect(await both.get()).toBe("2");
  });

  it("keeps a response without dependencies for ever", async () => {
    const { state, get } = openCache([]);
    await get();
    Object.assign(state, { isFresh: false, store: "2", head: { ...state.head, revision: "b" } });
    expect(await get()).toBe("1");
    expect(state.reads).toBe(0);
  });

  it("keeps a response that depends on time for one second, by the chain's clock or the wall clock", async () => {
    const { state, get } = openCache(["index", "time"]);
    expect([await get(), await get()]).toEqual(["1", "1"]);
    state.head = { ...state.head, timestamp: SECOND + 1n };
    expect([await get(), await get()]).toEqual(["2", "2"]);
    const now = vi.spyOn(Date, "now").mockReturnValue((Number(SECOND) + 2) * 1_000 + 1);
    try {
      expect(await get()).toBe("3");
      now.mockReturnValue((Number(SECOND) + 2) * 1_000 + 999);
      expect(await get()).toBe("3");
      now.mockReturnValue((Number(SECOND) + 3) * 1_000);
      expect(await get()).toBe("4");
    } finally {
      now.mockRestore();
    }
  });

  it("keeps nothing that fails", async () => {
    const { request, get, readWith } = openCache();
    readWith(() => Promise.reject(new BadInput("no")));
    expect((await request()).status).toBe(400);
    readWith(async () => "now");
    expect(await get()).toBe("now");
  });

  it("neither keeps nor shares the response of a client that has used its share", async () => {
    const { state, get, readWith } = openCache();
    const { read, finish } = slowRead();
    readWith(read);
    state.isLimited = true;
    const limited = get();
    state.isLimited = false;
    await expect.poll(() => finish.length).toBe(1);
    const other = get();
    finish[0]?.();
    expect(await limited).toBe("1");
    await expect.poll(() => finish.length).toBe(2);
    finish[1]?.();
    expect(await other).toBe("2");
    expect(await get()).toBe("2");
  });

  it("shares one computation between concurrent requests, each with its own request id", async () => {
    const { request } = openCache();
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, number) => request("one", "", { "x-request-id": `${number}` })),
    );
    expect(new Set(await Promise.all(responses.map((response) => response.text())))).toEqual(new Set(["1"]));
    expect(responses.map(({ headers }) => headers.get("x-request-id"))).toEqual(
      Array.from({ length: 20 }, (_, number) => String(number)),
    );
  });

  it("does not share a 404: what was not found may have been published meanwhile", async () => {
    const { request, get, readWith } = openCache(["store"]);
    readWith(({ number }) => (number === 1 ? Promise.reject(new NotFound("not found")) : Promise.resolve("published")));
    const [missing, published] = await Promise.all([request(), get()]);
    expect(missing.status).toBe(404);
    expect(published).toBe("published");
  });

  it("shares other failures, so that a database that fails is not asked by every request", async () => {
    const { request, state, readWith } = openCache();
    readWith(() => Promise.reject(new Error("timeout")));
    const responses = await Promise.all(Array.from({ length: 20 }, () => request()));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([500]));
    expect(state.computed).toBe(1);
  });

  it("does not share errors about the other client: its limits, and its deadline", async () => {
    const late = new HTTPException(503, { message: "too slow" });
    for (const error of [new TooMany("Too many reads at once", 1), late]) {
      const { request, get, readWith } = openCache();
      readWith(({ number }) => (number === 1 ? Promise.reject(error) : Promise.resolve("own")));
      const [refused, own] = await Promise.all([request(), get()]);
      expect(refused.status).toBe(error.status);
      expect(own).toBe("own");
    }
  });

  it("does not share a computation that began on another revision, or keep it for the new one", async () => {
    const { state, get, readWith } = openCache(["index", "store"]);
    const { read, finish } = slowRead();
    readWith(read);
    const before = get();
    await expect.poll(() => finish.length).toBe(1);
    // A write that was acknowledged meanwhile.
    state.store = "2";
    readWith(async ({ number }) => String(number));
    expect(await get()).toBe("2");
    finish[0]?.();
    expect(await before).toBe("1");
    expect(await get()).not.toBe("1");
  });

  it("stays within its memory, and drops the least recently used response first", async () => {
    const { cache, get, readWith } = openCache(["index"], 60_000);
    readWith(async ({ number }) => `${number}${"x".repeat(5_000)}`);
    for (let number = 0; number < 100; number++) {
      await get(`key ${number}`);
      expect(await get("key 0")).toMatch(/^1x/);
      expect(cache.bytes).toBeLessThanOrEqual(60_000);
    }
    expect(await get("key 50")).not.toMatch(/^51x/);
    readWith(async ({ number }) => `${number}${"x".repeat(10_000)}`);
    const tooLarge = await get("too large");
    expect(await get("too large")).not.toBe(tooLarge);
  });

  it("serves texts of any characters and sizes as they were computed", async () => {
    const { get, readWith } = openCache(["index"]);
    for (const text of ["ascii", "é😀\u0000", "x".repeat(20_000), "é".repeat(20_000)]) {
      readWith(async () => text);
      const key = `${text.length}${text[0]?.charCodeAt(0)}`;
      expect([await get(key), await get(key)]).toEqual([text, text]);
    }
  });
});

describe("the memory of the response cache", () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage: () => void = runInNewContext("gc");
  /** Besides the cache: what the test itself allocates. */
  const CONSTANT_BYTES = 5_000_000;
  const memory = () => {
    collectGarbage();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };

  it.each([
    ["inputs of large responses", 20_000, 200_000, (number: number) => `${number}`],
    ["inputs of small responses", 200, 1_000_000, (number: number) => `${number}`],
    ["revisions of one input", 20_000, 200_000, () => "one"],
  ])("is bounded over 1,000 evictions by other %s", async (_, size, maxBytes, keyOf) => {
    const { cache } = openCache(["index"], maxBytes);
    // Evictions need more responses than fit.
    const count = 1_000 + maxBytes / size;
    const before = memory();
    for (let number = 0; number < count; number++)
      await cache.compute(
        keyOf(number),
        { head: undefined, store: keyOf(0) === keyOf(1) ? String(number) : "a", time: undefined },
        async () => ({ reply: taggedReply("x".repeat(size)) }),
      );
    expect(cache.bytes).toBeLessThanOrEqual(maxBytes);
    // Buffers are freed a moment after the collection.
    await expect.poll(() => memory() - before).toBeLessThan(maxBytes + CONSTANT_BYTES);
  });
});

describe("a gateway with a response cache", () => {
  it("keeps one reply for all spellings of a request", async () => {
    let queries = 0;
    const query = async () => {
      queries++;
      return { rows: [] };
    };
    const revision = <Value>(value: Value) => ({ peek: () => value, read: async () => value });
    const head: IndexHead = {
      historyDone: true,
      isComplete: true,
      block: 1n,
      timestamp: 1n,
      builtBlock: 1n,
      revision: "a",
    };
    const cache = new ResponseCache({ maxBytes: 1_000_000, indexHead: revision(head), storeRevision: revision("1") });
    const db = drizzle({ query } as unknown as pg.Pool, { casing: "snake_case" });
    const config = { ...parseEnvironment({ NODE_ENV: "test" }), checkAnswers: false, chainId: 1 };
    const context = { db, config, head: async () => head } as unknown as Context;
    const gateway = createGateway(context, pino({ level: "silent" }), cache);
    const owner = `0x${"ab".repeat(20)}`;
    for (const search of [
      `owner=${owner}`,
      `owner=${owner}&limit=50`,
      `limit=050&owner=${owner}`,
      `owner=${owner.replaceAll("ab", "AB")}`,
      `%6fwner=${owner}&`,
    ])
      expect((await gateway.request(`/agents?${search}`)).status).toBe(200);
    expect(queries).toBe(1);
    expect((await gateway.request(`/agents?owner=${owner}&limit=49`)).status).toBe(200);
    expect(queries).toBe(2);
  });
});

describe("a gateway without a response cache", () => {
  it("runs the operation for each request, also at the same time", async () => {
    let reads = 0;
    const head = async () => ({ historyDone: true, block: 7n, timestamp: 1n, builtBlock: 7n });
    const store = () => Promise.reject(new BadInput(`read ${++reads}`));
    const gateway = createGateway({ head, store, config: {} } as unknown as Context, pino({ level: "silent" }));
    const get = async () => ((await (await gateway.request("/intents/1")).json()) as { error: string }).error;
    expect(new Set(await Promise.all([get(), get(), get()]))).toEqual(new Set(["read 1", "read 2", "read 3"]));
    expect(await get()).toBe("read 4");
  });
});
