import { drizzle } from "drizzle-orm/node-postgres";
import type pg from "pg";
import { pino } from "pino";
import { type Address, createPublicClient, type Hex, http } from "viem";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { testFeedAbi } from "../../abis/index";
import type { IndexHead } from "../../api/indexed/head";
import { openPool } from "../../api/indexed/open-pool";
import { openStore, type Store } from "../../api/offchain/open";
import { tokenPrice } from "../../api/offchain/tables";
import { startPriceReader } from "../../api/prices/reader";
import { LOCAL_CHAIN_ID } from "../../config/networks";
import type { ListedToken } from "../../config/token-list";
import { address } from "../../config/values";
import bytecode from "../../contracts/bytecode.json";
import { mined } from "../../stack/local/chain";
import { createTestDatabase, type TestDatabase } from "../support/database";
import { DATABASE_SCHEMA } from "../support/index-of";
import { ask } from "../support/lists/asking";
import { fund, ownAccount } from "../support/own-accounts";
import { type RpcProxy, startRpcProxy } from "../support/rpc-proxy";
import { sampleStack, timeStack, type WrittenStack } from "../support/shared-stack";

const HOUR = 3_600n;
const DAY = 86_400;
const hourAt = (time: bigint) => time - (time % HOUR);

const owner = ownAccount("owner of price feeds");

type Round = { id: bigint; answer: bigint; startedAt: bigint; updatedAt: bigint };

describe("prices by hour", () => {
  let stack: WrittenStack;
  let pool: pg.Pool;
  let database: TestDatabase;
  let store: Store;
  let proxies: [RpcProxy, RpcProxy];
  let feeds: { ether: Address; rate: Address };
  let list: { ether: ListedToken; staked: ListedToken; unknown: ListedToken; tiny: ListedToken };
  const running: { stop: () => Promise<void> }[] = [];

  const newestBlock = () => stack.client.getBlock();

  async function deployFeed(answer: bigint, since: bigint): Promise<Address> {
    const sent = stack.client.deployContract({
      account: owner,
      abi: testFeedAbi,
      args: [answer, since],
      bytecode: bytecode.TestFeed as Hex,
    });
    return address.parse((await mined(stack.client, sent)).contractAddress);
  }

  const call = (feed: Address, functionName: "setAnswer" | "setAge", value: bigint) =>
    mined(
      stack.client,
      stack.client.writeContract({ account: owner, address: feed, abi: testFeedAbi, functionName, args: [value] }),
    );

  /** Sets an answer some time after the newest block. */
  async function setAnswerAfter(seconds: bigint, feed: Address, answer: bigint): Promise<void> {
    await stack.client.setNextBlockTimestamp({ timestamp: (await newestBlock()).timestamp + seconds });
    await call(feed, "setAnswer", answer);
  }

  beforeAll(async () => {
    stack = await timeStack();
    await fund(stack.client, owner);
    const settings = { search_path: DATABASE_SCHEMA };
    pool = openPool({ databaseUrl: stack.databaseUrl, poolMode: "session", isReadOnly: true, settings, max: 2 });
    database = await createTestDatabase("prices");
    store = await openStore({ databaseUrl: database.url, onIdleError: () => {} });
    const { url = "" } = stack.client.transport;
    proxies = [await startRpcProxy(url), await startRpcProxy(url)];
    const { timestamp } = await newestBlock();
    feeds = {
      ether: await deployFeed(3_000n * 10n ** 8n, hourAt(timestamp) - 5n * HOUR),
      rate: await deployFeed(110_000_000n, hourAt(timestamp) - 3n * HOUR + 1n),
    };
    const common = { name: "", logo: null, stablecoin: false };
    const [etherFeed, rateFeed] = [feeds.ether, feeds.rate].map((feed) => ({ address: feed, maxAgeSeconds: DAY }));
    const noFeed = { address: `0x${"ab".repeat(20)}` as const, maxAgeSeconds: DAY };
    if (!etherFeed || !rateFeed) throw new Error("No feeds");
    list = {
      ether: { ...common, address: `0x${"01".repeat(20)}`, symbol: "ETH", decimals: 18, feeds: [etherFeed] },
      staked: {
        ...common,
        address: `0x${"02".repeat(20)}`,
        symbol: "stETH",
        decimals: 6,
        feeds: [rateFeed, etherFeed],
      },
      unknown: { ...common, address: `0x${"03".repeat(20)}`, symbol: "NONE", decimals: 0, feeds: [noFeed] },
      tiny: { ...common, address: `0x${"04".repeat(20)}`, symbol: "TINY", decimals: 77, feeds: [etherFeed] },
    };
  }, 180_000);
  afterEach(async () => {
    await Promise.all(running.splice(0).map((reader) => reader.stop()));
    for (const proxy of proxies) proxy.decide(() => "pass");
  });
  afterAll(async () => {
    await Promise.all(proxies?.map((proxy) => proxy.close()) ?? []);
    await store?.close();
    await pool?.end();
    await database?.drop();
    await stack?.release();
  });

  /** Starts a reader of a gateway, whose index is always at the newest block. */
  function startReader(proxy = proxies[0], tokens: readonly ListedToken[] = Object.values(list)) {
    let head: { hash: Hex; value: IndexHead } | undefined;
    let [heads, passes] = [0, 0];
    const client = createPublicClient({ transport: http(proxy.url, { retryCount: 0, timeout: 2_000 }), cacheTime: 0 });
    const reader = startPriceReader({
      db: drizzle(pool, { casing: "snake_case" }),
      async head() {
        heads++;
        const { hash, timestamp, number: block } = await newestBlock();
        const value = { historyDone: true, isComplete: true, block, timestamp, builtBlock: block, revision: hash };
        if (head?.hash !== hash) head = { hash, value };
        return head.value;
      },
      store: async () => {
        passes++;
        return store.db;
      },
      client: async () => client,
      multicall3: null,
      chainId: LOCAL_CHAIN_ID,
      tokens: new Map(tokens.map((token) => [token.address, token])),
      retryMs: 20,
      idleMs: 20,
      log: pino({ level: "silent" }),
    });
    running.push(reader);
    return { ...reader, heads: () => heads, passes: () => passes };
  }

  async function storedPrices() {
    const rows = await store.db.select().from(tokenPrice).orderBy(tokenPrice.address, tokenPrice.hour);
    return rows.map(({ address, hour, price, unitPrice }) => [address, hour, price, unitPrice] as const);
  }

  /** All rounds of a feed. */
  async function roundsOf(feed: Address): Promise<Round[]> {
    const contract = { address: feed, abi: testFeedAbi } as const;
    const newest = await stack.client.readContract({ ...contract, functionName: "round" });
    const rounds: Round[] = [];
    for (let id = 1n; id <= newest; id++) {
      const read = { ...contract, functionName: "getRoundData", args: [id] } as const;
      const [, answer, startedAt, updatedAt] = await stack.client.readContract(read);
      rounds.push({ id, answer, startedAt, updatedAt });
    }
    return rounds;
  }

  function answerAt(rounds: readonly Round[], hour: bigint): bigint | undefined {
    const inForce = rounds.findLast(({ startedAt }) => startedAt <= hour);
    if (inForce && inForce.updatedAt + BigInt(DAY) >= hour && inForce.answer > 0n) return inForce.answer;
    return rounds.find(({ startedAt, answer }) => startedAt > hour && startedAt < hour + HOUR && answer > 0n)?.answer;
  }

  const decimalText = (digits: bigint, scale: number) => {
    const text = String(digits).padStart(scale + 1, "0");
    return `${text.slice(0, text.length - scale)}.${text.slice(text.length - scale)}`.replace(/\.?0+$/, "");
  };

  /** The prices of all tokens, computed from all rounds of their feeds. */
  async function expectedPrices() {
    const earliest = await pool.query<{ time: string }>("SELECT min(block_timestamp)::text AS time FROM event_log");
    const [first, newest] = [hourAt(BigInt(earliest.rows[0]?.time ?? 0)), (await newestBlock()).timestamp];
    const [ether, rate] = [await roundsOf(feeds.ether), await roundsOf(feeds.rate)];
    const expected: Awaited<ReturnType<typeof storedPrices>> = [];
    for (const { address, decimals, feeds: own } of Object.values(list))
      for (let hour = first; hour <= newest; hour += HOUR) {
        const answers = own.map((feed) =>
          feed.address === feeds.ether
            ? answerAt(ether, hour)
            : feed.address === feeds.rate
              ? answerAt(rate, hour)
              : undefined,
        );
        if (answers.every((answer) => answer !== undefined)) {
          const digits = answers.reduce((product, answer) => product * answer, 1n);
          const scale = 8 * answers.length;
          expected.push([address, hour, decimalText(digits, scale), decimalText(digits, scale + decimals)]);
        } else if (hour + HOUR <= newest) expected.push([address, hour, null, null]);
      }
    return expected;
  }

  const expectAllPrices = async () => {
    const expected = await expectedPrices();
    await expect.poll(storedPrices, { timeout: 30_000 }).toEqual(expected);
    return expected;
  };

  it("are the answers of the feeds, for every hour since the first event", async () => {
    await setAnswerAfter(30n, feeds.ether, 3_111n * 10n ** 8n);
    await setAnswerAfter(2n * HOUR, feeds.ether, 2_999_12345678n);
    await setAnswerAfter(10n, feeds.ether, 2_000n * 10n ** 8n);
    await setAnswerAfter(5n * HOUR, feeds.rate, 120_000_000n);
    // No trusted answer for six hours.
    await setAnswerAfter(HOUR, feeds.rate, 0n);
    await setAnswerAfter(3n * HOUR, feeds.rate, -1n);
    await setAnswerAfter(3n * HOUR, feeds.rate, 130_000_001n);
    startReader();
    const prices = await expectAllPrices();
    const distinct = new Set(prices.map(([token, , price]) => `${token} ${price}`));
    expect(distinct.size).toBeGreaterThan(8);
    expect(prices.some(([, , price]) => price === null)).toBe(true);
  });

  it("follow the chain, hour by hour", async () => {
    startReader();
    for (const answer of [11n, 12n, 13n]) {
      await setAnswerAfter(HOUR + 7n, feeds.ether, answer * 10n ** 8n);
      await expectAllPrices();
    }
  });

  it("are corrected after a reorg that removes an answer and days", async () => {
    startReader();
    const snapshot = await stack.client.snapshot();
    await setAnswerAfter(2n * HOUR, feeds.ether, 777n * 10n ** 8n);
    await setAnswerAfter(20n * HOUR, feeds.rate, 777n);
    await expectAllPrices();
    await stack.client.revert({ id: snapshot });
    // The next blocks are later than the removed ones, so only the hours between them are different.
    await setAnswerAfter(40n * HOUR, feeds.ether, 14n * 10n ** 8n);
    const prices = await expectAllPrices();
    expect(prices.some(([, , price]) => price === "777")).toBe(false);
  });

  it("are none while a feed is out of date", async () => {
    startReader();
    await call(feeds.rate, "setAge", BigInt(DAY) + HOUR);
    await stack.client.mine({ blocks: 1, interval: 0 });
    await expectAllPrices();
    await call(feeds.rate, "setAge", 0n);
    await expectAllPrices();
  });

  it.each(["refuse", "cut", "fail", "limit", "truncate"] as const)(
    "have a gap if the node fails with '%s', which is filled later",
    async (fate) => {
      const [proxy] = proxies;
      startReader();
      await expectAllPrices();
      const before = await storedPrices();
      proxy.decide(({ method }) => (method === "eth_call" ? fate : "pass"));
      proxy.calls.length = 0;
      await setAnswerAfter(3n * HOUR, feeds.ether, 15n * 10n ** 8n);
      await expect.poll(() => proxy.calls.filter(({ method }) => method === "eth_call").length).toBeGreaterThan(5);
      expect(await storedPrices()).toEqual(before);
      proxy.decide(() => "pass");
      await expectAllPrices();
    },
  );

  it("are not read without a new block", async () => {
    const [proxy] = proxies;
    const { passes, heads } = startReader();
    await expectAllPrices();
    await expect
      .poll(async () => {
        const [headsBefore, passesBefore, callsBefore] = [heads(), passes(), proxy.calls.length];
        await expect.poll(heads).toBeGreaterThan(headsBefore + 5);
        return [passes() - passesBefore, proxy.calls.length - callsBefore];
      })
      .toEqual([0, 0]);
  });

  it("are read by one process at a time", async () => {
    const [busy, waiting] = proxies;
    await setAnswerAfter(HOUR, feeds.ether, 16n * 10n ** 8n);
    busy.calls.length = 0;
    waiting.calls.length = 0;
    busy.decide(() => "wait");
    const first = startReader(busy);
    await expect.poll(() => busy.calls.length).toBeGreaterThan(0);
    const second = startReader(waiting);
    await expect.poll(second.passes).toBeGreaterThan(5);
    expect(waiting.calls).toEqual([]);
    await first.stop();
    await expectAllPrices();
    expect(waiting.calls.length).toBeGreaterThan(0);
  });

  it("of a token that is not listed any more are deleted, and changed decimals corrected, without a node", async () => {
    const { ether } = list;
    startReader();
    await expectAllPrices();
    await Promise.all(running.splice(0).map((reader) => reader.stop()));
    proxies[0].decide(() => "refuse");
    startReader(proxies[0], [{ ...ether, decimals: 2 }]);
    const expected = (await expectedPrices())
      .filter(([token]) => token === ether.address)
      .map(([token, hour, price]) => {
        const [whole = "", fraction = ""] = String(price).split(".");
        return [token, hour, price, price && decimalText(BigInt(whole + fraction), fraction.length + 2)];
      });
    await expect.poll(storedPrices).toEqual(expected);
  });
});

describe("GET /tokens/{address}/prices", () => {
  it("has the prices of the sample's dollar, by hour and by day", async () => {
    const { apiUrl, contracts } = await sampleStack();
    const path = `/tokens/${contracts.TestDollar.toLowerCase()}/prices`;
    const prices = (interval: string, more = {}) =>
      ask(apiUrl, `${path}?${new URLSearchParams({ interval, ...more })}`) as Promise<{
        from: string;
        to: string;
        points: Record<string, string | null>[];
      }>;
    await expect.poll(async () => (await prices("hour")).points.at(-2)?.price, { timeout: 20_000 }).toBe("1");
    const byHour = await prices("hour");
    expect(byHour).toMatchObject({ chain_id: LOCAL_CHAIN_ID, symbol: "tUSD", decimals: 6, interval: "hour" });
    expect(byHour.points).toHaveLength(48);
    expect(Object.keys(byHour.points[0] ?? {})).toEqual(["start", "price"]);
    const { points, from } = await prices("day");
    expect(points).toHaveLength(30);
    expect(points[0]).toEqual({ start: from, price: null, open: null, high: null, low: null });
    expect(points.at(-1)).toMatchObject({ price: "1", open: "1", high: "1", low: "1" });
  });

  it("is 404 for a token that is not on the list", async () => {
    const { apiUrl } = await sampleStack();
    const unlisted = `0x${"de".repeat(20)}`;
    const response = await fetch(`${apiUrl}/tokens/${unlisted}/prices?interval=day`);
    expect([response.status, await response.json()]).toEqual([
      404,
      { error: `${unlisted} is not on the token list of chain 31337, so it has no prices`, code: "not_found" },
    ]);
  });
});
