import { type Address, type Hex, parseUnits } from "viem";
import { testDollarAbi, testFeedAbi, testTokenAbi } from "../../abis/index";
import type { TokenList } from "../../config/token-list";
import { address } from "../../config/values";
import bytecode from "../../contracts/bytecode.json";
import { actor, type ChainConnection, mined, signedByNode } from "./chain";
import type { Contracts } from "./deploy";
import { demoPayer } from "./sample/people";

const DAY = 86_400;
const FEED_DECIMALS = 8;

/** The demo payer's balances, in whole tokens. */
const payerBalances = { dollars: "1000", ether: "2.5", points: "12345.678" };

/**
 * Deploys price feeds, a token with a price and one without, and mints some of each and of the test dollar to the demo
 * payer, for portfolios and dollar values. Call it after the other contracts, so that it does not change their addresses.
 */
export async function deployTokens(client: ChainConnection, { TestDollar }: Pick<Contracts, "TestDollar">) {
  const sender = signedByNode(actor(0));
  const deployed = async (hash: Promise<Hex>) => {
    const { contractAddress } = await mined(client, hash);
    return address.parse(contractAddress);
  };
  // The activity before this has prices too.
  const { timestamp: since } = await client.getBlock({ blockNumber: 0n });
  const feed = (dollars: string) =>
    deployed(
      client.deployContract({
        ...sender,
        abi: testFeedAbi,
        args: [parseUnits(dollars, FEED_DECIMALS), since],
        bytecode: bytecode.TestFeed as Hex,
      }),
    );
  const token = (name: string, symbol: string) =>
    deployed(
      client.deployContract({
        ...sender,
        abi: testTokenAbi,
        args: [name, symbol],
        bytecode: bytecode.TestToken as Hex,
      }),
    );
  const mint = (contract: Address, abi: typeof testDollarAbi | typeof testTokenAbi, amount: bigint) =>
    mined(
      client,
      client.writeContract({
        ...sender,
        address: contract,
        abi,
        functionName: "mint",
        args: [demoPayer.address, amount],
      }),
    );

  const [etherFeed, dollarFeed] = [await feed("3000"), await feed("1")];
  const wrappedEther = await token("Test Wrapped Ether", "tWETH");
  const points = await token("Test Points", "tPTS");
  await mint(TestDollar, testDollarAbi, parseUnits(payerBalances.dollars, 6));
  await mint(wrappedEther, testTokenAbi, parseUnits(payerBalances.ether, 18));
  await mint(points, testTokenAbi, parseUnits(payerBalances.points, 18));

  const common = { decimals: 18, logo: null, stablecoin: false };
  const list: TokenList = {
    native: [{ address: etherFeed, maxAgeSeconds: DAY }],
    sequencer: null,
    tokens: [
      {
        ...common,
        address: address.parse(TestDollar),
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
  return list;
}
