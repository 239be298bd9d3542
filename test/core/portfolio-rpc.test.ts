import { type Address, encodeFunctionData, erc20Abi, numberToHex } from "viem";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { testFeedAbi, testTokenAbi } from "../../abis/index";
import { createPortfolio } from "../../api/portfolio/portfolio";
import { AllChainsFailed, type ChainReading } from "../../api/portfolio/provider";
import { rpcProvider } from "../../api/portfolio/providers/rpc/provider";
import { PortfolioSnapshot } from "../../api/portfolio/snapshot";
import { type ChainSlug, chains } from "../../config/chains";
import type { TokenList } from "../../config/token-list";
import { actor, type ChainConnection, type LocalChain, mined, startChain } from "../../stack/local/chain";
import { type Contracts, deploy } from "../../stack/local/deploy";
import { deployTokens } from "../../stack/local/local-tokens";
import { demoPayer } from "../../stack/local/sample/people";
import { freePorts } from "../../stack/roles/ports";
import { type RpcProxy, startRpcProxy } from "../support/rpc-proxy";

const lowercase = (address: Address) => address.toLowerCase() as Address;
const payer = lowercase(demoPayer.address);
const dead = "http://127.0.0.1:1/a-secret-in-the-url";

type Failure = { chain: ChainSlug; what: string; error: string };

const callFeed = (client: ChainConnection, address: Address, functionName: "setAnswer" | "setAge", value: bigint) =>
  mined(client, client.writeContract({ account: actor(0), address, abi: testFeedAbi, functionName, args: [value] }));

describe("a portfolio of the local chain", () => {
  let chain: LocalChain;
  let contracts: Contracts;
  let list: TokenList;
  let proxy: RpcProxy;
  let reported: Failure[];

  beforeAll(async () => {
    const [port = 0] = await freePorts(1);
    // A chain without blocks for two days, like a long-running `npm start`.
    chain = await startChain({ port, startTime: Math.floor(Date.now() / 1000) - 2 * 86_400 });
    contracts = await deploy(chain.client);
    list = await deployTokens(chain.client);
    proxy = await startRpcProxy(chain.rpcUrl);
  });
  afterAll(async () => {
    await proxy?.close();
    await chain?.child.stop();
  });
  afterEach(() => {
    proxy.decide(() => "pass");
  });

  const providerOf = (tokens = list, rpcUrls: Parameters<typeof rpcProvider>[0]["rpcUrls"] = {}) => {
    reported = [];
    const report = (failure: Failure) => reported.push(failure);
    return rpcProvider({ rpcUrls, local: { rpcUrl: proxy.url, tokens }, report });
  };

  async function readLocal(tokens = list, wallet = payer): Promise<ChainReading & { ok: true }> {
    const [reading] = await providerOf(tokens).read(wallet, ["local"], AbortSignal.timeout(9_000));
    if (!reading?.ok) throw new Error(`Reading failed: ${reading?.reason}`);
    return reading;
  }

  const feedOf = (symbol: string): Address => {
    const address = list.tokens.find((token) => token.symbol === symbol)?.feeds[0]?.address;
    if (!address) throw new Error(`${symbol} has no feed`);
    return address;
  };

  /** A token at this contract, with the dollar's feed. */
  const withToken = (symbol: string, address: Address, feeds = list.native): TokenList => ({
    ...list,
    tokens: [...list.tokens, { address, symbol, name: symbol, decimals: 18, logo: null, stablecoin: false, feeds }],
  });

  it("has the demo payer's holdings of `npm start`, priced by the feeds", async () => {
    const { snapshot } = createPortfolio({ provider: providerOf(), cacheMs: 0 });
    const made = PortfolioSnapshot.parse(await snapshot(payer, ["local"]));
    expect(made.tokens.map(({ symbol, balance, priceUsd, valueUsd }) => [symbol, balance, priceUsd, valueUsd])).toEqual(
      [
        ["ETH", "10000", "3000", "30000000"],
        ["tWETH", "2.5", "3000", "7500"],
        ["tUSD", "1000", "1", "1000"],
        ["tPTS", "12345.678", null, null],
      ],
    );
    expect(made.summary).toMatchObject({
      totalValueUsd: "30008500",
      stablecoinValueUsd: "1000",
      pricedTokenCount: 3,
      unpricedTokenCount: 1,
      warnings: ["local: 1 token has no price and is not in the totals"],
    });
    expect(made.recentActivity).toHaveLength(3);
    expect(reported).toEqual([]);
  });

  it("agrees with eth_call and eth_getBalance for every account", async () => {
    const { client } = chain;
    for (const index of [1, 2, 3]) {
      const account = actor(index);
      const mint = (address: Address, amount: bigint) =>
        mined(
          client,
          client.writeContract({
            account,
            address,
            abi: testTokenAbi,
            functionName: "mint",
            args: [account.address, amount],
          }),
        );
      for (const token of list.tokens) await mint(token.address, BigInt(index) ** 40n);
    }
    for (let index = 0; index < 10; index++) {
      const wallet = lowercase(actor(index).address);
      const expected = new Map<Address | null, bigint>();
      const ask = async (method: string, ...params: unknown[]) => {
        const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [...params, "latest"] });
        const headers = { "content-type": "application/json" };
        const answer = await (await fetch(chain.rpcUrl, { method: "POST", headers, body })).json();
        return BigInt(z.object({ result: z.string() }).parse(answer).result);
      };
      expected.set(null, await ask("eth_getBalance", wallet));
      for (const { address } of list.tokens) {
        const data = encodeFunctionData({ abi: erc20Abi, functionName: "balanceOf", args: [wallet] });
        expected.set(address, await ask("eth_call", { to: address, data }));
      }
      const { holdings, complete } = await readLocal(list, wallet);
      expect(complete).toBe(true);
      const held = [...expected].filter(([, balance]) => balance > 0n);
      expect(new Map(holdings.map(({ contract, rawBalance }) => [contract, rawBalance]))).toEqual(new Map(held));
    }
  });

  it("is empty for an address without holdings", async () => {
    const { holdings, complete, activity } = await readLocal(list, `0x${"12".repeat(20)}`);
    expect({ holdings, complete, activity }).toEqual({ holdings: [], complete: true, activity: [] });
  });

  it("is read at one block, and with few calls", async () => {
    proxy.calls.length = 0;
    await readLocal();
    const head = numberToHex(await chain.client.getBlockNumber());
    const pinned = proxy.calls.filter(({ method }) => method === "eth_call" || method === "eth_getBalance");
    expect(pinned.length).toBeLessThanOrEqual(4);
    for (const { params } of pinned) expect(params[1]).toBe(head);
  });

  it("has no price and a warning if the feed is stale, negative or zero", async () => {
    const { client } = chain;
    const feed = feedOf("tUSD");
    const dollar = async () => {
      const { holdings, warnings } = await readLocal();
      const price = holdings.find(({ symbol }) => symbol === "tUSD")?.price;
      return { price, warnings };
    };
    const unpriced = { price: null, warnings: ["the price of tUSD could not be read or is out of date"] };

    await callFeed(client, feed, "setAge", 86_401n);
    expect(await dollar()).toEqual(unpriced);
    await callFeed(client, feed, "setAge", 86_400n);
    expect(await dollar()).toEqual({ price: { digits: 10n ** 8n, scale: 8 }, warnings: [] });
    await callFeed(client, feed, "setAge", 0n);
    for (const answer of [-1n, 0n]) {
      await callFeed(client, feed, "setAnswer", answer);
      expect(await dollar()).toEqual(unpriced);
    }
    await callFeed(client, feed, "setAnswer", 99_980_000n);
    expect(await dollar()).toEqual({ price: { digits: 99_980_000n, scale: 8 }, warnings: [] });
    await callFeed(client, feed, "setAnswer", 10n ** 8n);
  });

  it.each([
    ["reverts", () => contracts.IntentBook],
    ["does not exist", (): Address => `0x${"34".repeat(20)}`],
  ])("has no price if the feed %s", async (_, feed) => {
    const feeds = [{ address: lowercase(feed()), maxAgeSeconds: 60 }];
    const broken = {
      ...list,
      tokens: list.tokens.map((token) => (token.symbol === "tUSD" ? { ...token, feeds } : token)),
    };
    const { holdings, warnings, complete } = await readLocal(broken);
    expect(holdings.find(({ symbol }) => symbol === "tUSD")).toMatchObject({ rawBalance: 10n ** 9n, price: null });
    expect(holdings.find(({ symbol }) => symbol === "tWETH")?.price).toEqual({ digits: 3_000n * 10n ** 8n, scale: 8 });
    expect(warnings).toEqual(["the price of tUSD could not be read or is out of date"]);
    expect(complete).toBe(true);
    expect(reported).toMatchObject([{ chain: "local", what: `the feed ${feeds[0]?.address}` }]);
  });

  it.each([
    ["reverts", () => contracts.IntentBook],
    ["does not exist", (): Address => `0x${"56".repeat(20)}`],
  ])("omits a token that %s, instead of a zero balance", async (_, token) => {
    const { holdings, warnings, complete } = await readLocal(withToken("BAD", lowercase(token())));
    expect(holdings.map(({ symbol }) => symbol)).toEqual(["ETH", "tUSD", "tWETH", "tPTS"]);
    expect(warnings).toEqual(["the balance of BAD could not be read and is left out"]);
    expect(complete).toBe(false);
    expect(reported).toMatchObject([{ what: "the balance of BAD" }]);
  });

  it("multiplies the prices of several feeds", async () => {
    const twice = withToken("tETH2", contracts.TestDollar, [...list.native, ...list.native]);
    const { holdings } = await readLocal({ ...twice, tokens: twice.tokens.slice(-1) });
    expect(holdings.find(({ symbol }) => symbol === "tETH2")?.price).toEqual({
      digits: (3_000n * 10n ** 8n) ** 2n,
      scale: 16,
    });
  });

  it("has transfers from and to the address with their block times, newest first, twenty at most", async () => {
    const { client } = chain;
    const [sender, receiver] = [actor(4), actor(5)];
    const send = (amount: bigint) =>
      mined(
        client,
        client.writeContract({
          account: sender,
          address: contracts.TestDollar,
          abi: testTokenAbi,
          functionName: "transfer",
          args: [receiver.address, amount],
        }),
      );
    await mined(
      client,
      client.writeContract({
        account: sender,
        address: contracts.TestDollar,
        abi: testTokenAbi,
        functionName: "mint",
        args: [sender.address, 100n],
      }),
    );
    const receipts = [];
    for (let count = 0; count < 22; count++) receipts.push(await send(1n));
    const expected = [];
    for (const { transactionHash: hash, blockNumber } of receipts.reverse().slice(0, 20)) {
      const { timestamp } = await client.getBlock({ blockNumber });
      const [from, to] = [lowercase(sender.address), lowercase(receiver.address)];
      expected.push({ hash, from, to, blockNumber, timestamp: new Date(Number(timestamp) * 1000) });
    }
    expect((await readLocal(list, lowercase(sender.address))).activity).toEqual(expected);
    expect((await readLocal(list, lowercase(receiver.address))).activity).toEqual(expected);
  });

  it.each(["refuse", "cut"] as const)(
    "lacks only the activity if the node handles log requests with '%s'",
    async (fate) => {
      proxy.decide(({ method }) => (method === "eth_getLogs" ? fate : "pass"));
      const { holdings, complete, warnings, activity } = await readLocal();
      expect(holdings).toHaveLength(4);
      expect({ complete, warnings, activity }).toEqual({
        complete: true,
        warnings: ["recent activity could not be read"],
        activity: [],
      });
    },
  );

  it("keeps the native balance and omits the tokens if the node fails all calls", async () => {
    proxy.decide(({ method }) => (method === "eth_call" ? "cut" : "pass"));
    const { holdings, complete, warnings } = await readLocal();
    expect(holdings).toMatchObject([{ contract: null, symbol: "ETH", price: null }]);
    expect(complete).toBe(false);
    expect(warnings).toEqual([
      "the balance of tUSD, tWETH, tPTS could not be read and is left out",
      "the price of ETH could not be read or is out of date",
    ]);
  });

  it("fails if the node dies after its first responses, and never returns an empty wallet", async () => {
    proxy.decide(({ method }) => (method === "eth_chainId" || method === "eth_getBlockByNumber" ? "pass" : "cut"));
    expect(await providerOf().read(payer, ["local"], AbortSignal.timeout(9_000))).toEqual([
      { chain: "local", ok: false, reason: "could not be read: its node does not answer" },
    ]);
  });

  it("fails before the deadline if the node never responds", async () => {
    proxy.decide(() => "wait");
    expect(await providerOf().read(payer, ["local"], AbortSignal.timeout(500))).toEqual([
      { chain: "local", ok: false, reason: "did not answer in time" },
    ]);
  });

  it("has a warning for each failed chain, without a URL in the response or the log", async () => {
    const provider = providerOf(list, { base: [dead], ethereum: [proxy.url] });
    const { snapshot } = createPortfolio({ provider, cacheMs: 0 });
    const made = PortfolioSnapshot.parse(await snapshot(payer, ["base", "local", "ethereum", "polygon"]));
    expect(made.summary.warnings).toEqual([
      "base: could not be read: its node does not answer",
      "local: 1 token has no price and is not in the totals",
      "ethereum: could not be read: its node serves chain 31337 instead of 1",
      "polygon: can't be read, because RPC_URL_POLYGON is not set",
    ]);
    expect(made.chains).toEqual(["base", "local", "ethereum", "polygon"]);
    expect(made.summary.totalValueUsd).toBe("30008500");
    expect(reported.map(({ chain }) => chain).sort()).toEqual(["base", "ethereum", "polygon"]);
    expect(JSON.stringify([made, reported])).not.toMatch(/a-secret|127\.0\.0\.1/);
  });

  it.each([
    ["is dead", () => dead],
    ["never responds", () => proxy.url],
  ])("uses the next node if one %s", async (_, first) => {
    proxy.decide(() => "wait");
    const [port = 0] = await freePorts(1);
    const base = await startChain({ port, chainId: chains.base.chainId });
    try {
      const provider = providerOf(list, { base: [first(), base.rpcUrl] });
      const [reading] = await provider.read(payer, ["base"], AbortSignal.timeout(9_000));
      expect(reading).toMatchObject({
        ok: true,
        complete: false,
        holdings: [{ contract: null, rawBalance: 10n ** 22n }],
      });
    } finally {
      await base.child.stop();
    }
  });

  it("is an error without a URL if every chain fails", async () => {
    const provider = providerOf(list, { base: [dead] });
    const failing = createPortfolio({ provider, cacheMs: 0 }).snapshot(payer, ["base", "optimism"]);
    const error = await failing.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(AllChainsFailed);
    expect(error).toHaveProperty(
      "message",
      "No chain could be read: base: could not be read: its node does not answer; optimism: can't be read, because RPC_URL_OPTIMISM is not set",
    );
    expect(error).not.toHaveProperty("cause");
    expect(reported).toHaveLength(2);
  });
});
