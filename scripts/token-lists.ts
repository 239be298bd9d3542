import { createRequire } from "node:module";
import * as aaveList from "@bgd-labs/aave-address-book/tokenlist";
import { z } from "zod";
import { chains, type PublicChainSlug, publicChainSlugs } from "../config/chains";
import { type ListedToken, type PriceFeed, TokenList } from "../config/token-list";
import { address } from "../config/values";
import { curatedTokens } from "./curated-tokens";

const PublishedList = z.object({
  tokens: z.array(
    z.object({
      chainId: z.number(),
      address: z.string(),
      symbol: z.string(),
      name: z.string(),
      decimals: z.number(),
      logoURI: z.string().optional(),
    }),
  ),
});
type PublishedToken = z.infer<typeof PublishedList>["tokens"][number];

// Not imports: TypeScript would need seconds to infer the types of thousands of tokens and addresses.
const require = createRequire(import.meta.url);
const addressBook: Record<string, unknown> = require("@bgd-labs/aave-address-book");
const uniswapTokens = PublishedList.parse(require("@uniswap/default-token-list")).tokens;
const aaveTokens = PublishedList.parse(aaveList).tokens;

const Market = z.object({ ASSETS: z.record(z.string(), z.object({ UNDERLYING: address })) });
const Feeds = z.record(z.string(), z.union([z.string(), z.number()]));

/** Chainlink's slowest feeds have a daily heartbeat, plus an hour of tolerance. Hourly feeds may miss one update. */
const DAILY_MAX_AGE_SECONDS = 25 * 3600;
const HOURLY_MAX_AGE_SECONDS = 2 * 3600;

/** Returns the only element. Throws if there is none or more than one. */
function only<Item>(items: Item[], what: string): Item {
  const [item] = items;
  if (item === undefined || items.length > 1) throw new Error(`Expected one ${what}, found ${items.length}.`);
  return item;
}

const isAt = (contract: string) => (token: PublishedToken) => token.address.toLowerCase() === contract;

const isHttpUrl = (text: string | undefined): text is string => text !== undefined && /^https?:\/\//.test(text);

/** One chain's list: addresses and metadata from the packages, choice and feeds from the curated table. */
function tokenListOf(slug: PublicChainSlug): TokenList {
  const { native, hourly, tokens } = curatedTokens[slug];
  const { chainId, nativeContracts } = chains[slug];
  // The names of Aave's market and Chainlink's feeds end in the chain's.
  const name = slug.charAt(0).toUpperCase() + slug.slice(1);
  const market = Market.parse(addressBook[`AaveV3${name}`]);
  const chainlink = Feeds.parse(addressBook[`Chainlink${name}`]);
  const here = ({ chainId: id }: PublishedToken) => id === chainId;
  const [onUniswap, onAave] = [uniswapTokens.filter(here), aaveTokens.filter(here)];

  const feed = (name: string): PriceFeed => ({
    address: address.parse(chainlink[name], { error: () => `${slug} has no feed ${name}` }),
    maxAgeSeconds: hourly.includes(name) ? HOURLY_MAX_AGE_SECONDS : DAILY_MAX_AGE_SECONDS,
  });
  const contractOf = (token: string) => {
    const [source, name = ""] = token.split(" ");
    if (source === "aave") return only([market.ASSETS[name]].filter(Boolean), `${token} on ${slug}`)?.UNDERLYING;
    const { address: contract } = only(
      onUniswap.filter(({ symbol }) => symbol === name),
      `${token} on ${slug}`,
    );
    return address.parse(contract);
  };
  const list = tokens.map(({ token, feeds, stablecoin = false }): ListedToken => {
    const contract = address.parse(contractOf(token));
    if (nativeContracts.some((other) => other === contract)) throw new Error(`${token} is ${slug}'s native coin.`);
    const { symbol, name, decimals, logoURI } =
      onUniswap.find(isAt(contract)) ?? only(onAave.filter(isAt(contract)), `${contract} on ${slug}`);
    const logo = isHttpUrl(logoURI) ? logoURI : null;
    return { address: contract, symbol, name, decimals, logo, stablecoin, feeds: feeds.map(feed) };
  });
  if (new Set(list.map((token) => token.address)).size < list.length) throw new Error(`${slug} lists a token twice.`);
  const uptime = chainlink.L2_Sequencer_Uptime_Status_Feed;
  return TokenList.parse({ native: native.map(feed), sequencer: uptime ?? null, tokens: list });
}

/** The token lists of all public chains, by file path. */
export const tokenListFiles = (): Record<string, TokenList> =>
  Object.fromEntries(publicChainSlugs.map((slug) => [`api/tokens/lists/${slug}.json`, tokenListOf(slug)]));
