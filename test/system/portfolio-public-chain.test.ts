import { type Address, type Hex, parseUnits } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { testFeedAbi, testTokenAbi } from "../../abis/index";
import { createPortfolio } from "../../api/portfolio/portfolio";
import { rpcProvider } from "../../api/portfolio/providers/rpc/provider";
import { PortfolioSnapshot } from "../../api/portfolio/snapshot";
import { tokenLists } from "../../api/tokens/lists";
import { chains } from "../../config/chains";
import bytecode from "../../contracts/bytecode.json";
import { actor, type ChainConnection, type LocalChain, mined, startChain } from "../../stack/local/chain";
import { freePorts } from "../../stack/roles/ports";

const lowercase = (address: Address) => address.toLowerCase() as Address;
const callFeed = (client: ChainConnection, address: Address, functionName: "setAnswer" | "setAge", value: bigint) =>
  mined(client, client.writeContract({ account: actor(0), address, abi: testFeedAbi, functionName, args: [value] }));

describe("a portfolio of a public chain", () => {
  const wallet = lowercase(actor(3).address);
  const { tokens, sequencer, native } = tokenLists.base;
  let base: LocalChain;

  const place = async (address: Address, code: Hex) => base.client.setCode({ address, bytecode: code });
  const codeOf = async (creation: string, args: readonly unknown[], abi: readonly unknown[]): Promise<Hex> => {
    const request = { account: actor(0), abi, args, bytecode: creation as Hex } as never;
    const { contractAddress } = await mined(base.client, base.client.deployContract(request));
    return (await base.client.getCode({ address: contractAddress as Address })) ?? "0x";
  };

  /** Starts a chain with base's listed tokens and feeds, and Multicall3, at their real addresses. */
  beforeAll(async () => {
    const [port = 0] = await freePorts(1);
    base = await startChain({ port, chainId: chains.base.chainId });
    const viemConstants = new URL("../../node_modules/viem/_esm/constants/contracts.js", import.meta.url).href;
    const { multicall3Bytecode } = z
      .object({ multicall3Bytecode: z.string() })
      .parse({ ...(await import(viemConstants)) });
    await place(chains.base.multicall3, await codeOf(multicall3Bytecode, [], []));
    const token = await codeOf(bytecode.TestToken, ["", ""], testTokenAbi);
    for (const { address } of tokens) await place(address, token);
    const feed = await codeOf(bytecode.TestFeed, [1n, 1n], testFeedAbi);
    const feeds = new Set([...tokens.flatMap(({ feeds }) => feeds), ...native].map(({ address }) => address));
    for (const address of [...feeds, sequencer as Address]) await place(address, feed);
    for (const address of feeds) await callFeed(base.client, address, "setAnswer", 2n * 10n ** 8n);
    await callFeed(base.client, sequencer as Address, "setAnswer", 0n);
    await callFeed(base.client, sequencer as Address, "setAge", 7_200n);
    for (const [symbol, amount] of [
      ["USDC", parseUnits("5.25", 6)],
      ["wstETH", parseUnits("1", 18)],
      ["UNI", parseUnits("3", 18)],
    ] as const) {
      const { address } = tokens.find((token) => token.symbol === symbol) ?? {};
      await mined(
        base.client,
        base.client.writeContract({
          account: actor(0),
          address: address as Address,
          abi: testTokenAbi,
          functionName: "mint",
          args: [wallet, amount],
        }),
      );
    }
  });
  afterAll(async () => {
    await base?.child.stop();
  });

  const snapshotOfBase = async () => {
    const provider = rpcProvider({ rpcUrls: { base: [base.rpcUrl] }, report: () => {} });
    expect(provider.chains).toEqual(["base", "ethereum", "arbitrum", "optimism", "polygon"]);
    return PortfolioSnapshot.parse(await createPortfolio({ provider, cacheMs: 0 }).snapshot(wallet, ["base"]));
  };

  it("is read through Multicall3 with the names and feeds of the curated list", async () => {
    const { tokens, summary } = await snapshotOfBase();
    expect(tokens.map(({ symbol, balance, priceUsd, valueUsd }) => [symbol, balance, priceUsd, valueUsd])).toEqual([
      ["ETH", "10000", "2", "20000"],
      ["USDC", "5.25", "2", "10.5"],
      ["wstETH", "1", "4", "4"],
      ["UNI", "3", null, null],
    ]);
    expect(summary).toMatchObject({ totalValueUsd: "20014.5", stablecoinValueUsd: "10.5" });
    expect(summary.warnings).toEqual(["base: 1 token has no price and is not in the totals"]);
  });

  it.each([
    ["is down", 1n, 86_400n],
    ["has just restarted", 0n, 60n],
  ])("has no prices while the sequencer %s", async (_, answer, age) => {
    await callFeed(base.client, sequencer as Address, "setAnswer", answer);
    await callFeed(base.client, sequencer as Address, "setAge", age);
    const { summary } = await snapshotOfBase();
    expect(summary).toMatchObject({ totalValueUsd: null, pricedTokenCount: 0, unpricedTokenCount: 4 });
    expect(summary.warnings).toContain("base: the sequencer has not been up for the last hour, so prices are left out");
    expect(summary.warnings).toContain("base: 4 tokens have no price and are not in the totals");
  });

  it("has a warning when the node is behind", async () => {
    const [port = 0] = await freePorts(1);
    const lagging = await startChain({
      port,
      chainId: chains.base.chainId,
      startTime: Math.floor(Date.now() / 1000) - 86_400,
    });
    try {
      const provider = rpcProvider({ rpcUrls: { base: [lagging.rpcUrl] }, report: () => {} });
      const [reading] = await provider.read(wallet, ["base"], AbortSignal.timeout(9_000));
      const { timestamp } = await lagging.client.getBlock();
      const time = new Date(Number(timestamp) * 1000).toISOString();
      expect(reading?.ok && reading.warnings).toContain(
        `the newest block is from ${time}; balances and prices may be out of date`,
      );
    } finally {
      await lagging.child.stop();
    }
  });
});
