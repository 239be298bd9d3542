import type { Address } from "viem";
import { z } from "zod";
import { type Chain, type ChainSlug, chains as chainFacts, publicChainSlugs } from "../../../../config/chains";
import { address as addressValue } from "../../../../config/values";
import { listedToken } from "../../../tokens/lists";
import { type Decimal, parseDecimal } from "../../decimal";
import type { Activity, ChainReading, Holding, PortfolioProvider, ReportUpstream } from "../../provider";
import { AlchemyFailed, postJson } from "./http";
import { recentAlchemyTransfers } from "./transfers";

/** Alchemy's limit of networks per request. */
const NETWORKS_PER_CALL = 5;
/** The maximum number of token pages. Wallets with more hold mostly spam tokens. */
const MAX_PAGES = 10;
/** The maximum age of a price. */
const MAX_PRICE_AGE_MS = 25 * 3_600_000;
/** Tolerance for a clock of Alchemy ahead of ours. */
const CLOCK_SKEW_MS = 300_000;
/** Token names and symbols are truncated to this length. */
const MAX_NAME = 128;

type Endpoints = {
  /** The origin of the Data API. */
  data: string;
  /** The origin of a network's JSON-RPC. */
  rpc: (network: string) => string;
};

const alchemyEndpoints: Endpoints = {
  data: "https://api.g.alchemy.com",
  rpc: (network) => `https://${network}.g.alchemy.com`,
};

type Options = {
  apiKey: string;
  report: ReportUpstream;
  /** Overridden in tests. */
  endpoints?: Endpoints;
};

const Page = z.object({
  data: z.object({
    tokens: z.array(z.unknown()),
    pageKey: z.string().nullish(),
  }),
  error: z.unknown().optional(),
});

/** The part of a row that identifies its chain. */
const Row = z.object({ network: z.string(), error: z.unknown().optional() });

const Price = z.object({ currency: z.string(), value: z.string(), lastUpdatedAt: z.string() });

const Token = z.object({
  tokenAddress: addressValue.nullish(),
  // Hexadecimal, padded to 32 bytes.
  tokenBalance: z
    .string()
    .regex(/^0x[0-9a-fA-F]{1,64}$/)
    .transform(BigInt),
  tokenMetadata: z
    .object({
      decimals: z.number().int().min(0).max(255).nullish().catch(null),
      logo: z
        .url({ protocol: /^https?$/ })
        .nullish()
        .catch(null),
      name: z.string().nullish().catch(null),
      symbol: z.string().nullish().catch(null),
    })
    .nullish()
    .catch(null),
  tokenPrices: z.array(z.unknown()).nullish().catch(null),
});
type Token = z.infer<typeof Token>;

/** The parsed rows of one network, and the number of failed ones. */
type Rows = { tokens: Token[]; failed: number };

/** Reads portfolios from Alchemy's Data API, and transfers from its nodes. */
export function alchemyProvider({ apiKey, report, endpoints = alchemyEndpoints }: Options): PortfolioProvider {
  const tokensUrl = `${endpoints.data}/data/v1/${apiKey}/assets/tokens/by-address`;
  const rpcUrl = (network: string) => `${endpoints.rpc(network)}/v2/${apiKey}`;
  const logFailure = (chains: readonly ServedChain[], what: string, error: unknown) => {
    for (const { slug: chain } of chains) report({ chain, what, error: describeError(error) });
  };

  const readPage = (address: Address, networks: string[], signal: AbortSignal, pageKey?: string) => {
    const options = { withMetadata: true, withPrices: true, includeNativeTokens: true, includeErc20Tokens: true };
    const body = { addresses: [{ address, networks }], ...options, ...(pageKey && { pageKey }) };
    return postJson(tokensUrl, body, Page, signal);
  };

  /** Reads all pages. Returns the rows by network, and whether they are complete. Throws only if the first page fails. */
  const readRows = async (address: Address, chains: readonly ServedChain[], signal: AbortSignal) => {
    const networks = chains.map(({ network }) => network);
    const rows = new Map<string, Rows>(networks.map((network) => [network, { tokens: [], failed: 0 }]));
    let page = await readPage(address, networks, signal);
    let isComplete = true;
    for (let count = 1; ; count++) {
      for (const row of page.data.tokens) addRow(rows, row);
      if (page.error) isComplete = false;
      const { pageKey } = page.data;
      if (!pageKey) return { rows, isComplete };
      if (count === MAX_PAGES) return { rows, isComplete: false };
      try {
        page = await readPage(address, networks, signal, pageKey);
      } catch (error) {
        logFailure(chains, "a further page", error);
        return { rows, isComplete: false };
      }
    }
  };

  const readActivity = async (chain: ServedChain, address: Address, signal: AbortSignal) =>
    recentAlchemyTransfers(rpcUrl(chain.network), address, signal).catch((error: unknown) => {
      logFailure([chain], "recent activity", error);
      return undefined;
    });

  const readBatch = async (address: Address, chains: ServedChain[], signal: AbortSignal) => {
    const [found, activities] = await Promise.all([
      readRows(address, chains, signal).catch((error: unknown) => {
        logFailure(chains, "everything", error);
        return error instanceof AlchemyFailed ? error.message : "failed";
      }),
      Promise.all(chains.map((chain) => readActivity(chain, address, signal))),
    ]);
    return chains.map(({ slug, network }, index): ChainReading => {
      if (typeof found === "string")
        return { chain: slug, ok: false, reason: `could not be read: the provider ${found}` };
      return readingOf(slug, found.rows.get(network) ?? { tokens: [], failed: 0 }, found.isComplete, activities[index]);
    });
  };

  return {
    name: "alchemy",
    chains: publicChainSlugs,
    async read(address, chains, signal) {
      const served = chains.flatMap((slug) => servedChain(slug) ?? []);
      const batches: ServedChain[][] = [];
      for (let start = 0; start < served.length; start += NETWORKS_PER_CALL)
        batches.push(served.slice(start, start + NETWORKS_PER_CALL));
      const readings = (await Promise.all(batches.map((batch) => readBatch(address, batch, signal)))).flat();
      const bySlug = new Map(readings.map((reading) => [reading.chain, reading]));
      return chains.map(
        (chain) =>
          bySlug.get(chain) ?? { chain, ok: false, reason: "can't be read: the provider does not support this chain" },
      );
    },
  };
}

/** Describes an error for the log. Of other errors only the name, because the message may quote a URL with the key. */
function describeError(error: unknown): string {
  if (error instanceof AlchemyFailed) return error.message;
  return error instanceof Error ? error.name : typeof error;
}

type ServedChain = { slug: ChainSlug; network: string };

const servedChain = (slug: ChainSlug): ServedChain | undefined => {
  const network = chainFacts[slug].alchemyNetwork;
  return network === null ? undefined : { slug, network };
};

/** Adds a row to its network. A row with an error or an unexpected shape counts as failed. */
function addRow(rows: Map<string, Rows>, row: unknown): void {
  const { data: header } = Row.safeParse(row);
  const ofNetwork = header && rows.get(header.network);
  // A row without a network may belong to any of them.
  if (!header) for (const each of rows.values()) each.failed++;
  if (!ofNetwork) return;
  const { data: token } = Token.safeParse(row);
  if (token && !header.error) ofNetwork.tokens.push(token);
  else ofNetwork.failed++;
}

/** Builds the reading of a chain. `activity` is undefined if it could not be read. */
function readingOf(
  chain: ChainSlug,
  { tokens, failed }: Rows,
  isComplete: boolean,
  activity: Activity[] | undefined,
): ChainReading {
  if (failed > 0 && tokens.length === 0)
    return { chain, ok: false, reason: "could not be read: the provider returned an error for this chain" };
  const { holdings, badPrices } = holdingsOf(chain, tokens);
  const warnings: string[] = [];
  if (failed > 0) warnings.push(`${failed} of the provider's entries could not be read and are left out`);
  if (!isComplete) warnings.push("the provider's list is incomplete, so tokens may be missing");
  if (badPrices > 0) warnings.push(`${badPrices} of the provider's prices could not be read or are out of date`);
  if (!activity) warnings.push("recent activity could not be read");
  return { chain, ok: true, holdings, complete: failed === 0 && isComplete, activity: activity ?? [], warnings };
}

/** Converts tokens to holdings. Drops duplicates, zero balances and token contracts of the native coin. */
function holdingsOf(slug: ChainSlug, tokens: readonly Token[]): { holdings: Holding[]; badPrices: number } {
  const chain: Chain = chainFacts[slug];
  const holdings = new Map<Address | null, Holding>();
  let badPrices = 0;
  for (const token of tokens) {
    const contract = token.tokenAddress ?? null;
    if (token.tokenBalance === 0n || (contract && chain.nativeContracts.includes(contract))) continue;
    if (holdings.has(contract)) continue;
    const price = priceOf(token.tokenPrices ?? []);
    if (price === undefined) badPrices++;
    holdings.set(contract, {
      ...describe(slug, token),
      contract,
      rawBalance: token.tokenBalance,
      price: price ?? null,
    });
  }
  return { holdings: [...holdings.values()], badPrices };
}

/** The metadata of a token: from the curated list, otherwise as the token reports it. */
function describe(slug: ChainSlug, { tokenAddress, tokenMetadata }: Token) {
  if (!tokenAddress) return { ...chainFacts[slug].native, logo: null, stablecoin: false };
  const listed = listedToken(slug, tokenAddress);
  if (listed) {
    const { symbol, name, decimals, logo, stablecoin } = listed;
    return { symbol, name, decimals, logo, stablecoin };
  }
  return {
    symbol: tokenMetadata?.symbol?.slice(0, MAX_NAME) ?? null,
    name: tokenMetadata?.name?.slice(0, MAX_NAME) ?? null,
    decimals: tokenMetadata?.decimals ?? null,
    logo: tokenMetadata?.logo ?? null,
    stablecoin: false,
  };
}

/** The price in US dollars: null without a price, undefined if the price is invalid or stale. */
function priceOf(prices: readonly unknown[]): Decimal | null | undefined {
  if (prices.length === 0) return null;
  const inDollars = prices
    .flatMap((price) => Price.safeParse(price).data ?? [])
    .find(({ currency }) => currency.toLowerCase() === "usd");
  if (!inDollars) return undefined;
  const age = Date.now() - Date.parse(inDollars.lastUpdatedAt);
  const value = parseDecimal(inDollars.value);
  return value && value.digits > 0n && age >= -CLOCK_SKEW_MS && age <= MAX_PRICE_AGE_MS ? value : undefined;
}
