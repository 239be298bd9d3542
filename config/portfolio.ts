import { type PublicChainSlug, publicChainSlugs, rpcVariable } from "./chains";
import { readLocalDeployment } from "./networks";
import type { TokenList } from "./token-list";
import type { Variables } from "./variables/index";

/** Settings for portfolios. */
export type PortfolioSettings = {
  /** How long a snapshot is cached. */
  cacheMs: number;
  /** Alchemy's API key. Undefined if the provider is `rpc`. */
  alchemyApiKey: string | undefined;
  /** RPC URLs of the public chains. */
  rpcUrls: Partial<Record<PublicChainSlug, string[]>>;
  /** Reads the RPC URL and token list of the local chain. Returns undefined unless it is the indexed chain. */
  local: () => { rpcUrl: string; tokens: TokenList } | undefined;
};

export const portfolioProblems = ({ PORTFOLIO_PROVIDER, ALCHEMY_API_KEY }: Variables): string[] =>
  PORTFOLIO_PROVIDER === "alchemy" && ALCHEMY_API_KEY === undefined
    ? ["ALCHEMY_API_KEY: is required when PORTFOLIO_PROVIDER is alchemy"]
    : [];

export const portfolioSettings = (variables: Variables, isLocal: boolean): PortfolioSettings => ({
  cacheMs: variables.PORTFOLIO_CACHE_SECONDS * 1000,
  alchemyApiKey: variables.PORTFOLIO_PROVIDER === "alchemy" ? variables.ALCHEMY_API_KEY : undefined,
  rpcUrls: Object.fromEntries(publicChainSlugs.map((slug) => [slug, variables[rpcVariable(slug)]])),
  local: () => {
    if (!isLocal) return undefined;
    const { rpcUrl, tokens = { native: [], sequencer: null, tokens: [] } } = readLocalDeployment(
      variables.INTENTRY_DIR,
    );
    return { rpcUrl, tokens };
  },
});
