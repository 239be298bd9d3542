import type { Address } from "viem";
import { type Chain, type ChainSlug, chains, type PublicChainSlug, publicChainSlugs } from "../../config/chains";
import { baseSepolia } from "../../config/networks";
import { type ListedToken, TokenList } from "../../config/token-list";
import arbitrum from "./lists/arbitrum.json";
import base from "./lists/base.json";
import ethereum from "./lists/ethereum.json";
import optimism from "./lists/optimism.json";
import polygon from "./lists/polygon.json";

/**
 * The curated tokens of the public chains. Addresses of tokens and feeds are those of @bgd-labs/aave-address-book 4.44.22 and
 * @uniswap/default-token-list 22.21.0. A token that wraps another one-to-one uses the other's feed, as in Aave's markets. The
 * maximum age is the heartbeat in Chainlink's documentation and an hour.
 */
export const tokenLists: Readonly<Record<PublicChainSlug, TokenList>> = {
  base: TokenList.parse(base),
  ethereum: TokenList.parse(ethereum),
  arbitrum: TokenList.parse(arbitrum),
  optimism: TokenList.parse(optimism),
  polygon: TokenList.parse(polygon),
};

const byContract = new Map(
  Object.entries(tokenLists).flatMap(([slug, { tokens }]) =>
    tokens.map((token) => [`${slug} ${token.address}`, token] as const),
  ),
);

/** The curated token of a public chain at an address, if there is one. */
export const listedToken = (chain: ChainSlug, contract: Address): ListedToken | undefined =>
  byContract.get(`${chain} ${contract}`);

function listOf(chainId: number, local: TokenList | undefined): readonly ListedToken[] {
  const slug = publicChainSlugs.find((one) => chains[one].chainId === chainId);
  const list = slug ? tokenLists[slug] : chainId === chains.local.chainId ? local : undefined;
  return list?.tokens ?? [];
}

/** The curated tokens of a chain by address. The list of the local chain is `local`. */
export const listedOn = (chainId: number, local?: TokenList): ReadonlyMap<Address, ListedToken> =>
  new Map(listOf(chainId, local).map((token) => [token.address, token]));

/** The same by symbol or name, in any case. */
export function listedAs(chainId: number, local?: TokenList): (text: string) => readonly ListedToken[] {
  const byText = new Map<string, Set<ListedToken>>();
  for (const token of listOf(chainId, local))
    for (const text of [token.symbol, token.name]) {
      const key = text.toLowerCase();
      byText.set(key, (byText.get(key) ?? new Set()).add(token));
    }
  return (text) => [...(byText.get(text.toLowerCase()) ?? [])];
}

/** The native coin of a chain that portfolios support, or of the test network of Base. */
export const nativeOf = (chainId: number): Chain["native"] | undefined =>
  chainId === baseSepolia.chainId
    ? chains.base.native
    : Object.values(chains).find((chain) => chain.chainId === chainId)?.native;
