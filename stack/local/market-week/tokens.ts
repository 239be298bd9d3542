import { type Address, encodeDeployData, encodeFunctionData, getContractAddress, type Hex, parseUnits } from "viem";
import { testFeedAbi, testTokenAbi } from "../../../abis/index";
import type { ListedToken, TokenList } from "../../../config/token-list";
import { address } from "../../../config/values";
import bytecode from "../../../contracts/bytecode.json";
import type { Batch } from "./batch";
import { MARKET_WEEK_SECONDS } from "./calendar";
import { person } from "./person";

const FEED_DECIMALS = 8;
const DAY = 86_400;

/** The prices in dollars at the beginning of each day of the week, and at its end. */
const courses = {
  tUSD: [1, 1, 1, 1, 1, 1, 1, 1],
  tWETH: [3000, 2946, 2968, 3037, 3012, 3089, 3121, 3148],
  tBTC: [96_200, 95_100, 95_800, 97_400, 98_900, 98_300, 100_400, 101_850],
  tEUR: [1.082, 1.085, 1.0838, 1.0861, 1.0902, 1.0889, 1.0917, 1.0931],
} as const;

export type TradedSymbol = keyof typeof courses;
export type Prices = Readonly<Record<TradedSymbol, number>>;
export type Traded = Readonly<Record<TradedSymbol, ListedToken>>;

/** The prices at a time, on a line between the days. */
export function pricesAt(time: bigint, present: bigint): Prices {
  const days = (MARKET_WEEK_SECONDS - Number(present - time)) / DAY;
  const day = Math.max(0, Math.min(6, Math.floor(days)));
  const at = (course: readonly number[]) => {
    const [start = 0, end = start] = course.slice(day);
    return start + (end - start) * (days - day);
  };
  return { tUSD: 1, tWETH: at(courses.tWETH), tBTC: at(courses.tBTC), tEUR: at(courses.tEUR) };
}

const deployer = person({ name: "Token deployer", description: "", tags: [] });

/** The contracts that the deployer makes, in this order. So their addresses are known before. */
const addresses = ([0n, 1n, 2n, 3n] as const).map((nonce) =>
  address.parse(getContractAddress({ from: deployer.account.address, nonce })),
) as [Address, Address, Address, Address];
const [btcFeed, eurFeed, btc, eur] = addresses;

const common = { decimals: 18, logo: null, stablecoin: false };

/** Bitcoin and euros, whose contracts {@link deployMarketTokens} makes. */
export const marketTokens: readonly ListedToken[] = [
  {
    ...common,
    ...{ address: btc, symbol: "tBTC", name: "Test Bitcoin", feeds: [{ address: btcFeed, maxAgeSeconds: DAY }] },
  },
  {
    ...common,
    ...{ address: eur, symbol: "tEUR", name: "Test Euro", feeds: [{ address: eurFeed, maxAgeSeconds: DAY }] },
  },
];

/** The token list of a chain that will have the market week. */
export const withMarketTokens = (list: TokenList): TokenList => ({
  ...list,
  tokens: [...list.tokens, ...marketTokens],
});

/** The four tokens that are traded, from the list of the chain. */
export function tradedIn({ tokens }: TokenList): Traded {
  const find = (symbol: TradedSymbol) => {
    const found = tokens.find((token) => token.symbol === symbol);
    if (!found) throw new Error(`${symbol} is not on the token list`);
    return found;
  };
  return { tUSD: find("tUSD"), tWETH: find("tWETH"), tBTC: find("tBTC"), tEUR: find("tEUR") };
}

const answerOf = (dollars: number) => parseUnits(dollars.toFixed(FEED_DECIMALS), FEED_DECIMALS);

/** Deploys the two tokens and their feeds, with a price since the chain's first block. */
export function deployMarketTokens({ send }: Batch, prices: Prices, since: bigint): void {
  const from = deployer.account.address;
  for (const price of [prices.tBTC, prices.tEUR])
    send({
      from,
      data: encodeDeployData({ abi: testFeedAbi, args: [answerOf(price), since], bytecode: bytecode.TestFeed as Hex }),
    });
  for (const { name, symbol } of marketTokens)
    send({
      from,
      data: encodeDeployData({ abi: testTokenAbi, args: [name, symbol], bytecode: bytecode.TestToken as Hex }),
    });
}

/** The accounts that need ether. */
export const tokenDeployer = deployer.account;

/** Begins a round of all feeds, in one transaction. */
export function setPrices({ call }: Batch, { tWETH, tBTC, tEUR }: Traded, prices: Prices): void {
  const rounds = [
    { token: tWETH, price: prices.tWETH },
    { token: tBTC, price: prices.tBTC },
    { token: tEUR, price: prices.tEUR },
  ];
  const calls = rounds.flatMap(({ token, price }) =>
    token.feeds.map(({ address: target }) => ({
      target,
      value: 0n,
      data: encodeFunctionData({ abi: testFeedAbi, functionName: "setAnswer", args: [answerOf(price)] }),
    })),
  );
  call(deployer.account, "Multicall", "aggregate", [calls]);
}
