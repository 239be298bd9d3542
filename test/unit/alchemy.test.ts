import { describe, expect, it } from "vitest";
import { createPortfolio } from "../../api/portfolio/portfolio";
import { PortfolioSnapshot } from "../../api/portfolio/snapshot";
import { withRequestId } from "../../api/telemetry/request-id";
import { prices, row, tokensReply, transfersReply } from "./alchemy-server";
import { AlchemyWallet, apiKey, ether, wallet } from "./alchemy-wallet";

const usdcOnBase = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
const spam = `0x${"5a".repeat(20)}`;
const other = `0x${"77".repeat(20)}`;

const alchemy = AlchemyWallet.ofFile();

describe("the tokens of Alchemy", () => {
  it("are requested with the key in the path, and with metadata, prices and native coins", async () => {
    await alchemy.read(["base", "ethereum", "arbitrum", "optimism", "polygon"]);
    expect(alchemy.server.asked.tokens).toEqual([
      {
        path: `/data/v1/${apiKey}/assets/tokens/by-address`,
        body: {
          addresses: [
            {
              address: wallet,
              networks: ["base-mainnet", "eth-mainnet", "arb-mainnet", "opt-mainnet", "polygon-mainnet"],
            },
          ],
          withMetadata: true,
          withPrices: true,
          includeNativeTokens: true,
          includeErc20Tokens: true,
        },
      },
    ]);
  });

  it("are requested with the id of the client's request, and so are the transfers", async () => {
    await withRequestId("request-7", () => alchemy.read(["base"]));
    expect(alchemy.server.requestIds.length).toBeGreaterThanOrEqual(2);
    expect(new Set(alchemy.server.requestIds)).toEqual(new Set(["request-7"]));
  });

  it("have exact balances and prices, and names from our chains and token lists if they are known", async () => {
    alchemy.server.answer({
      tokens: () =>
        tokensReply([
          row("base-mainnet", null, 3n * ether, prices("3000.123456789012345678")),
          row("base-mainnet", usdcOnBase, 1_500_000n, {
            tokenMetadata: { decimals: 0, logo: "https://evil.example/x.png", name: "Not it", symbol: "FAKE" },
            ...prices("0.9998"),
          }),
          row("base-mainnet", other, 7n, {
            tokenMetadata: { decimals: 2, logo: "ipfs://logo", name: "n".repeat(500), symbol: "USDC" },
            ...prices("1"),
          }),
        ]),
    });
    const { holdings, complete, warnings } = await alchemy.readOk("base");
    expect({ complete, warnings }).toEqual({ complete: true, warnings: [] });
    expect(holdings).toEqual([
      {
        contract: null,
        symbol: "ETH",
        name: "Ether",
        decimals: 18,
        logo: null,
        rawBalance: 3n * ether,
        price: { digits: 3_000_123_456_789_012_345_678n, scale: 18 },
        stablecoin: false,
      },
      {
        contract: usdcOnBase.toLowerCase(),
        symbol: "USDC",
        name: "USD Coin",
        decimals: 6,
        logo: "https://ethereum-optimism.github.io/data/USDC/logo.png",
        rawBalance: 1_500_000n,
        price: { digits: 9_998n, scale: 4 },
        stablecoin: true,
      },
      {
        contract: other,
        symbol: "USDC",
        name: "n".repeat(128),
        decimals: 2,
        logo: null,
        rawBalance: 7n,
        price: { digits: 1n, scale: 0 },
        stablecoin: false,
      },
    ]);
  });

  it("without metadata have a raw balance, but no balance and no value", async () => {
    alchemy.server.answer({
      tokens: () =>
        tokensReply([row("base-mainnet", spam, 5n, { ...prices("100") }), row("base-mainnet", null, ether)]),
    });
    const { snapshot } = createPortfolio({ provider: alchemy.provider(), cacheMs: 0 });
    const made = PortfolioSnapshot.parse(await snapshot(wallet, ["base"]));
    expect(made.provider).toBe("alchemy");
    expect(made.tokens).toContainEqual({
      chain: "base",
      chainId: "eip155:8453",
      contract: spam,
      symbol: null,
      name: null,
      decimals: null,
      logo: null,
      rawBalance: "5",
      balance: null,
      priceUsd: "100",
      valueUsd: null,
    });
    expect(made.summary).toMatchObject({ tokenCount: 2, pricedTokenCount: 0, totalValueUsd: null });
  });

  it("are omitted if they are zero, duplicates, or a contract of the native coin", async () => {
    alchemy.server.answer({
      tokens: () =>
        tokensReply([
          row("polygon-mainnet", null, 2n),
          row("polygon-mainnet", "0x0000000000000000000000000000000000001010", 2n),
          row("polygon-mainnet", other, 0n),
          row("polygon-mainnet", spam, 3n),
          row("polygon-mainnet", spam.toUpperCase().replace("0X", "0x"), 4n),
        ]),
    });
    const { holdings } = await alchemy.readOk("polygon");
    expect(holdings.map(({ contract, rawBalance }) => [contract, rawBalance])).toEqual([
      [null, 2n],
      [spam, 3n],
    ]);
    expect(holdings[0]).toMatchObject({ symbol: "POL", name: "POL", decimals: 18 });
  });

  it.each([
    ["negative", prices("-1")],
    ["zero", prices("0.00")],
    ["with an exponent", prices("1e-7")],
    ["not a number", prices("NaN")],
    ["two days old", prices("1", new Date(Date.now() - 48 * 3_600_000).toISOString())],
    ["dated tomorrow", prices("1", new Date(Date.now() + 24 * 3_600_000).toISOString())],
    ["without a valid time", prices("1", "lately")],
    ["not in dollars", { tokenPrices: [{ currency: "eur", value: "1", lastUpdatedAt: new Date().toISOString() }] }],
    ["a JSON number", { tokenPrices: [{ currency: "usd", value: 1, lastUpdatedAt: "now" }] }],
  ])("have no price if it is %s, and a warning", async (_, price) => {
    alchemy.server.answer({ tokens: () => tokensReply([row("base-mainnet", null, ether, price)]) });
    const { holdings, warnings } = await alchemy.readOk("base");
    expect(holdings).toMatchObject([{ rawBalance: ether, price: null }]);
    expect(warnings).toEqual(["1 of the provider's prices could not be read or are out of date"]);
  });

  it("are read page by page", async () => {
    alchemy.server.answer({
      tokens: ({ body }) =>
        body.pageKey === undefined
          ? tokensReply([row("base-mainnet", null, 1n)], "second")
          : tokensReply([row("base-mainnet", spam, 2n)]),
    });
    const { holdings, complete } = await alchemy.readOk("base");
    expect(holdings).toHaveLength(2);
    expect(complete).toBe(true);
    expect(alchemy.server.asked.tokens.map(({ body }) => body.pageKey)).toEqual([undefined, "second"]);
  });

  it("are limited to ten pages, with a warning that there is more", async () => {
    alchemy.server.answer({ tokens: () => tokensReply([row("base-mainnet", null, 1n)], "again") });
    const { complete, warnings } = await alchemy.readOk("base");
    expect(alchemy.server.asked.tokens).toHaveLength(10);
    expect(complete).toBe(false);
    expect(warnings).toEqual(["the provider's list is incomplete, so tokens may be missing"]);
  });

  it("of earlier pages are kept when a page fails, with a warning that there is more", async () => {
    alchemy.server.answer({
      tokens: ({ body }) =>
        body.pageKey ? { status: 500 } : tokensReply([row("base-mainnet", null, 1n)], "the page that fails"),
    });
    const { holdings, complete } = await alchemy.readOk("base");
    expect(holdings).toHaveLength(1);
    expect(complete).toBe(false);
    expect(alchemy.reported).toEqual([{ chain: "base", what: "a further page", error: "returned status 500" }]);
  });
});

describe("the transfers of Alchemy", () => {
  const transfer = (block: number, name: string, part: object = {}) => ({
    blockNum: `0x${block.toString(16)}`,
    uniqueId: `${name}:log:0`,
    hash: `0x${Buffer.from(name).toString("hex").padStart(64, "0")}`,
    from: wallet,
    to: other,
    value: 1.5,
    asset: "ETH",
    category: "external",
    metadata: { blockTimestamp: `2026-01-02T00:00:${String(block % 60).padStart(2, "0")}.000Z` },
    ...part,
  });

  it("are requested from and to the address, newest first, from the network's own node", async () => {
    await alchemy.read(["base"]);
    const [first, second] = alchemy.server.asked.transfers;
    expect(alchemy.server.asked.transfers).toHaveLength(2);
    expect([first?.path, second?.path]).toEqual([`/base-mainnet/v2/${apiKey}`, `/base-mainnet/v2/${apiKey}`]);
    expect([first, second].map((asked) => [asked?.body.fromAddress, asked?.body.toAddress]).sort()).toEqual(
      [
        [wallet, undefined],
        [undefined, wallet],
      ].sort(),
    );
    expect(first?.body).toMatchObject({
      category: ["external", "erc20"],
      order: "desc",
      withMetadata: true,
      maxCount: "0x14",
    });
  });

  it("are merged without duplicates, newest first", async () => {
    const self = transfer(5, "self", { to: wallet });
    alchemy.server.answer({
      transfers: ({ body }) =>
        body.fromAddress
          ? transfersReply([transfer(9, "nine"), self, transfer(1, "one")])
          : transfersReply([transfer(7, "seven", { from: null, metadata: null }), self]),
    });
    const { activity, warnings } = await alchemy.readOk("base");
    expect(warnings).toEqual([]);
    expect(activity.map(({ blockNumber }) => blockNumber)).toEqual([9n, 7n, 5n, 1n]);
    expect(activity[1]).toMatchObject({ from: null, to: other, timestamp: null });
    expect(activity[0]?.timestamp).toEqual(new Date("2026-01-02T00:00:09.000Z"));
  });

  it.each([
    ["an error of the node", { body: { jsonrpc: "2.0", id: 1, error: { code: -32600, message: apiKey } } }],
    ["an invalid transfer", transfersReply([{ hash: "0x1" }])],
    ["a server error", { status: 503 }],
  ])("are replaced by a warning after %s", async (_, answer) => {
    alchemy.server.answer({ tokens: () => tokensReply([row("base-mainnet", null, 1n)]), transfers: () => answer });
    const { holdings, activity, warnings } = await alchemy.readOk("base");
    expect({ count: holdings.length, activity, warnings }).toEqual({
      count: 1,
      activity: [],
      warnings: ["recent activity could not be read"],
    });
  });
});
