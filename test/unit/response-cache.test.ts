import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, describe, expect, it, vi } from "vitest";
import { clockAt } from "../../api/core/clock";
import type { BaseContext } from "../../api/core/context";
import { type Dependencies, recordDependencies } from "../../api/core/dependencies";
import { NotFound } from "../../api/core/errors";
import { type Found, ResponseCache } from "../../api/http/response-cache";
import { TIME_LIMIT_MS } from "../../api/http/time-limit";
import type { IndexHead } from "../../api/index/head";
import { MAX_AGE_MS } from "../../api/index/shared-read";

const FAR_FUTURE = 4_000_000_000n;

type Use = Partial<Dependencies>;

/** A cache over an index and a store whose revisions the test sets. */
function openCache(maxBytes = 1_000_000) {
  const head: IndexHead = {
    historyDone: true,
    isComplete: true,
    block: 1n,
    timestamp: 0n,
    builtBlock: 1n,
    revision: "a",
  };
  const state = {
    head,
    store: "1",
    isFresh: true,
    /** What reads return instead of a revision. */
    stuck: undefined as Promise<never> | undefined,
    reads: 0,
    computed: 0,
  };
  const shared = <Value>(value: () => Value) => ({
    peek: () => (state.isFresh ? value() : undefined),
    read: () => {
      state.reads++;
      return state.stuck ?? Promise.resolve(value());
    },
  });
  const cache = new ResponseCache({
    maxBytes,
    indexHead: shared(() => state.head),
    storeRevision: shared(() => state.store),
  });
  /** Gets a response that depends on `use`; its body is the number of computations so far. */
  const get = (
    key: string,
    use: Use = { index: true },
    body = () => Promise.resolve(""),
    url = `/${key}`,
  ): Promise<Found> =>
    cache.get(key, {
      operation: "test",
      url,
      readsIndex: use.index === true,
      onIndexHead: () => {},
      compute: () => {
        const number = ++state.computed;
        const dependencies = {
          index: false,
          storeRevision: undefined,
          changesAt: undefined,
          isUntracked: false,
          ...use,
        };
        const result = body().then((text) => ({ body: `${number}${text}`, type: "text/plain", headers: {} }));
        return { dependencies, result };
      },
    });
  const bodyOf = async (found: Found | undefined | Promise<Found | undefined>) =>
    (await found)?.response.body.toString();
  return { cache, state, get, bodyOf };
}

describe("the response cache", () => {
  afterEach(() => void vi.useRealTimers());

  it("serves a kept response by its key and by its URL, without a computation or a read", async () => {
    const { cache, state, get, bodyOf } = openCache();
    await get("one");
    expect(await bodyOf(get("one"))).toBe("1");
    state.reads = 0;
    const found = cache.find("/one");
    expect(found).not.toBeInstanceOf(Promise);
    expect(await bodyOf(found)).toBe("1");
    expect(state).toMatchObject({ computed: 1, reads: 0 });
  });

  it("has ETag, length and type ready", async () => {
    const { response } = await openCache().get("one");
    const type = ["content-type", "text/plain"];
    const length = ["content-length", "1"];
    expect(response.headers).toEqual([...type, ...length, "etag", response.etag]);
    expect(response.unchangedHeaders).toEqual(["etag", response.etag]);
  });

  it("computes again when the index has another revision, also at the same height", async () => {
    const { cache, state, get, bodyOf } = openCache();
    await get("one");
    state.head = { ...state.head, revision: "b" };
    expect(cache.find("/one")).toBeUndefined();
    expect(await bodyOf(get("one"))).toBe("2");
    expect(await bodyOf(cache.find("/one"))).toBe("2");
  });

  it("reads the revision first if the last read is too old", async () => {
    const { cache, state, get, bodyOf } = openCache();
    await get("one");
    state.isFresh = false;
    const found = cache.find("/one");
    expect(found).toBeInstanceOf(Promise);
    expect(await bodyOf(found)).toBe("1");
    state.head = { ...state.head, revision: "b" };
    expect(await cache.find("/one")).toBeUndefined();
  });

  it("ignores the store for responses that don't depend on it", async () => {
    const { state, get, bodyOf } = openCache();
    await get("index only");
    await get("both", { index: true, storeRevision: "1" });
    state.store = "2";
    expect(await bodyOf(get("index only"))).toBe("1");
    expect(await bodyOf(get("both", { index: true, storeRevision: "2" }))).toBe("3");
  });

  it("keeps a response without dependencies for ever", async () => {
    const { cache, state, get, bodyOf } = openCache();
    await get("constant", {});
    state.isFresh = false;
    state.head = { ...state.head, revision: "b" };
    state.store = "2";
    expect(await bodyOf(cache.find("/constant"))).toBe("1");
    expect(state.reads).toBe(0);
  });

  it("waits for revisions with one timer for all requests, and fails after the time limit", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { cache, state, get } = openCache();
    await get("one", { index: true, storeRevision: "1" });
    await get("two", { index: true, storeRevision: "1" });
    state.isFresh = false;
    state.stuck = new Promise(() => {});
    const waiting = Promise.allSettled(["/one", "/two", "/one"].map((url) => cache.find(url)));
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(TIME_LIMIT_MS);
    const timeout = { status: "rejected", reason: { name: "TimeoutError" } };
    expect(await waiting).toMatchObject([timeout, timeout, timeout]);
  });

  it("drops a response at the earliest deadline that it shows", async () => {
    const { cache, state, get } = openCache();
    await get("one", { index: true, changesAt: FAR_FUTURE });
    state.head = { ...state.head, timestamp: FAR_FUTURE - 1n };
    expect(cache.find("/one")).toBeDefined();
    state.head = { ...state.head, timestamp: FAR_FUTURE };
    expect(cache.find("/one")).toBeUndefined();
  });

  it("keeps nothing that depends on untracked state, and nothing that fails", async () => {
    const { cache, get, bodyOf } = openCache();
    await get("one", { isUntracked: true });
    expect(cache.find("/one")).toBeUndefined();
    expect(await bodyOf(get("one", { isUntracked: true }))).toBe("2");
    await expect(get("two", {}, () => Promise.reject(new Error("not found")))).rejects.toThrow("not found");
    expect(cache.find("/two")).toBeUndefined();
  });

  it("shares one computation between concurrent requests", async () => {
    const { get, bodyOf } = openCache();
    const bodies = await Promise.all(Array.from({ length: 20 }, () => bodyOf(get("one"))));
    expect(new Set(bodies)).toEqual(new Set(["1"]));
  });

  it("does not share a 404: what was not found may have been published meanwhile", async () => {
    const { get, bodyOf } = openCache();
    const missing = get("one", {}, () => Promise.reject(new NotFound("not found")));
    const published = get("one", {});
    await expect(missing).rejects.toThrow("not found");
    expect(await bodyOf(published)).toBe("2");
  });

  it("shares other failures, so that a database that fails is not asked by every request", async () => {
    const { get, state } = openCache();
    const failing = () => Promise.reject(new Error("timeout"));
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => get("one", {}, failing)));
    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(["rejected"]));
    expect(state.computed).toBe(1);
  });

  it("does not share a computation that began on another revision, or read the store before a write", async () => {
    const { state, get, bodyOf } = openCache();
    let finish = () => {};
    const slow = () => new Promise<string>((resolve) => (finish = () => resolve("")));
    const before = get("one", { index: true, storeRevision: "1" }, slow);
    await new Promise((resolve) => setTimeout(resolve, 3 * MAX_AGE_MS));
    // A write that was acknowledged meanwhile.
    state.store = "2";
    const finishFirst = finish;
    expect(await bodyOf(get("one", { index: true, storeRevision: "2" }))).toBe("2");
    finishFirst();
    expect(await bodyOf(before)).toBe("1");
    expect(await bodyOf(get("one", { index: true, storeRevision: "2" }))).not.toBe("1");
  });

  it("stays within its memory, and drops the least recently used response first", async () => {
    const { cache, get, bodyOf } = openCache(50_000);
    const large = () => Promise.resolve("x".repeat(5_000));
    for (let number = 0; number < 100; number++) {
      await get(`key ${number}`, { index: true }, large);
      expect(await bodyOf(get("key 0"))).toMatch(/^1x/);
      expect(cache.bytes).toBeLessThanOrEqual(50_000);
    }
    expect(cache.find("/key 50")).toBeUndefined();
    await get("too large", { index: true }, () => Promise.resolve("x".repeat(10_000)));
    expect(cache.find("/too large")).toBeUndefined();
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
  ])("is bounded over 1,000 evictions by other %s, each with ten URLs", async (_, size, maxBytes, keyOf) => {
    const { cache, state, get } = openCache(maxBytes);
    // Evictions need more responses than fit.
    const count = 1_000 + maxBytes / size;
    const before = memory();
    for (let number = 0; number < count; number++) {
      state.head = { ...state.head, revision: keyOf(0) === keyOf(1) ? String(number) : "a" };
      for (let spelling = 0; spelling < 10; spelling++)
        await get(keyOf(number), { index: true }, async () => "x".repeat(size), `/${number}?${spelling}`);
    }
    expect(cache.bytes).toBeLessThanOrEqual(maxBytes);
    // Buffers are freed a moment after the collection.
    await expect.poll(() => memory() - before).toBeLessThan(maxBytes + CONSTANT_BYTES);
  });
});

describe("recorded dependencies", () => {
  const base = {
    db: {} as never,
    store: async () => ({}) as never,
    config: { chainId: 1 } as never,
    head: async () => ({}) as never,
    clock: async () => clockAt(100n),
    tokens: {
      find: async (addresses: readonly string[], _: number, caller?: { client: string }) => ({
        tokens: new Map(),
        changesAt: addresses.includes("pending") ? 150n : undefined,
        isClientLimited: caller?.client === "limited",
      }),
      named: async () => [],
    },
    readiness: () => {},
  };
  const record = (client = "one") =>
    recordDependencies(
      base as BaseContext,
      { baseUrl: "http://localhost", client, hasWriteToken: false },
      async () => "7",
    );

  it("are none for settings and the base URL", () => {
    const { context, caller, dependencies } = record();
    expect([context.config.chainId, caller.baseUrl]).toEqual([1, "http://localhost"]);
    expect(dependencies).toEqual({ index: false, storeRevision: undefined, changesAt: undefined, isUntracked: false });
  });

  it("include the index, and the store by its revision", async () => {
    const { context, dependencies } = record();
    void context.db;
    await context.store();
    expect(dependencies).toMatchObject({ index: true, storeRevision: "7" });
  });

  it("include the earliest deadline that has not passed", async () => {
    const { context, dependencies } = record();
    const clock = await context.clock();
    expect([50n, 300n, 200n, 250n].map(clock.hasReached)).toEqual([true, false, false, false]);
    expect(dependencies).toMatchObject({ index: true, changesAt: 200n, isUntracked: false });
    expect(clock.now).toBe(100n);
    expect(dependencies.changesAt).toBe(101n);
  });

  it("include the store and a time only if a token is not known yet", async () => {
    const known = record();
    await known.context.tokens.find(["0xknown"], 0);
    expect(known.dependencies).toEqual({
      index: false,
      storeRevision: undefined,
      changesAt: undefined,
      isUntracked: false,
    });
    const pending = record();
    await pending.context.tokens.find(["pending" as never], 0);
    expect(pending.dependencies).toEqual({ index: true, storeRevision: "7", changesAt: 150n, isUntracked: false });
  });

  it("are untracked if a token is not known because the client has used its share of the reads", async () => {
    const { context, caller, dependencies } = record("limited");
    await context.tokens.find(["pending" as never], 0, caller);
    expect(dependencies.isUntracked).toBe(true);
  });

  it("are untracked for the client and for other subsystems", () => {
    const one = record();
    void one.caller.client;
    const other = record();
    void (other.context as unknown as typeof base).readiness;
    expect([one.dependencies.isUntracked, other.dependencies.isUntracked]).toEqual([true, true]);
  });
});
