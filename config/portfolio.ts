import { type PublicChainSlug, publicChainSlugs, rpcVariable } from "./chains";
import { readLocalDeployment } from "./networks";
import type { TokenList } from "./token-list";
import type { Variables } from "./variables/index";

/** Settings for portfolios. */
export type PortfolioSettings = {
  /** How long a snapshot is cached. */
  cacheMs: number;
  /** Alchemy's API key. Without one, portfolios are read from RPC nodes. */
  alchemyApiKey: string | undefined;
  /** RPC URLs of the public chains. */
  rpcUrls: Partial<Record<PublicChainSlug, string[]>>;
  /** Reads the RPC URL and token list of the local chain. Returns undefined unless it is the indexed chain. */
  local: () => { rpcUrl: string; tokens: TokenList } | undefined;
};

const CACHE_MS = 15_000;

export const portfolioSettings = (variables: Variables, isLocal: boolean): PortfolioSettings => ({
  cacheMs: CACHE_MS,
  alchemyApiKey: variables.ALCHEMY_API_KEY,
  rpcUrls: Object.fromEntries(publicChainSlugs.map((slug) => [slug, variables[rpcVariable(slug)]])),
  local: () => {
    if (!isLocal) return undefined;
    const { rpcUrl, tokens = { native: [], sequencer: null, tokens: [] } } = readLocalDeployment(
      variables.INTENTRY_DIR,
    );
    return { rpcUrl, tokens };
  },
});
