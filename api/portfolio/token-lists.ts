import type { Address } from "viem";
import type { ChainSlug, PublicChainSlug } from "../../config/chains";
import { type ListedToken, TokenList } from "../../config/token-list";
import arbitrum from "./tokens/arbitrum.json";
import base from "./tokens/base.json";
import ethereum from "./tokens/ethereum.json";
import optimism from "./tokens/optimism.json";
import polygon from "./tokens/polygon.json";

/** The curated tokens of the public chains; `npm run generate` makes them. */
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
