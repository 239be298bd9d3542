import { type Address, parseUnits } from "viem";
import { testDollarAbi, testFeedAbi, testTokenAbi } from "../../abis/index";
import type { TokenList } from "../../config/token-list";
import { actor, type ChainConnection, mined, signedByNode } from "./chain";
import { contractCount, contracts, createdAt, deployAt } from "./deploy";
import { demoPayer } from "./sample/people";

const DAY = 86_400;
const FEED_DECIMALS = 8;

/** The demo payer's balances, in whole tokens. */
const payerBalances = { dollars: "1000", ether: "2.5", points: "12345.678" };

const [etherFeed, dollarFeed, wrappedEther, points] = [0, 1, 2, 3].map((index) => createdAt(contractCount + index)) as [
  Address,
  Address,
  Address,
  Address,
];

const common = { decimals: 18, logo: null, stablecoin: false };

/** The tokens with a price and the one without, on a chain whose first transactions are `deploy` and {@link deployTokens}. */
export const localTokens: TokenList = {
  native: [{ address: etherFeed, maxAgeSeconds: DAY }],
  sequencer: null,
  tokens: [
    {
      ...common,
      address: contracts.TestDollar,
      symbol: "tUSD",
      name: "Test Dollar",
      decimals: 6,
      stablecoin: true,
      feeds: [{ address: dollarFeed, maxAgeSeconds: DAY }],
    },
    {
      ...common,
      address: wrappedEther,
      symbol: "tWETH",
      name: "Test Wrapped Ether",
      feeds: [{ address: etherFeed, maxAgeSeconds: DAY }],
    },
    { ...common, address: points, symbol: "tPTS", name: "Test Points", feeds: [] },
  ],
};

/**
 * Deploys price feeds, a token with a price and one without, and mints some of each and of the test dollar to the demo
 * payer, for portfolios and dollar values. Call it after `deploy`: the addresses depend on the order.
 */
export async function deployTokens(client: ChainConnection): Promise<TokenList> {
  // The activity before this has prices too.
  const { timestamp: since } = await client.getBlock({ blockNumber: 0n });
  const feed = (expected: Address, dollars: string) =>
    deployAt(client, expected, "TestFeed", { abi: testFeedAbi, args: [parseUnits(dollars, FEED_DECIMALS), since] });
  const token = (expected: Address, ...args: [name: string, symbol: string]) =>
    deployAt(client, expected, "TestToken", { abi: testTokenAbi, args });
  const mint = (contract: Address, abi: typeof testDollarAbi | typeof testTokenAbi, amount: bigint) =>
    mined(
      client,
      client.writeContract({
        ...signedByNode(actor(0)),
        address: contract,
        abi,
        functionName: "mint",
        args: [demoPayer.address, amount],
      }),
    );

  await feed(etherFeed, "3000");
  await feed(dollarFeed, "1");
  await token(wrappedEther, "Test Wrapped Ether", "tWETH");
  await token(points, "Test Points", "tPTS");
  await mint(contracts.TestDollar, testDollarAbi, parseUnits(payerBalances.dollars, 6));
  await mint(wrappedEther, testTokenAbi, parseUnits(payerBalances.ether, 18));
  await mint(points, testTokenAbi, parseUnits(payerBalances.points, 18));
  return localTokens;
}
