import { type Address, BaseError, createPublicClient, fallback, type PublicClient } from "viem";
import {
  type Chain,
  type ChainSlug,
  chains as chainFacts,
  type PublicChainSlug,
  publicChainSlugs,
  rpcVariable,
} from "../../../../config/chains";
import type { TokenList } from "../../../../config/token-list";
import { withDeadline } from "../../../core/with-deadline";
import { requestIdHeader } from "../../../telemetry/request-id";
import { traceHeaders } from "../../../telemetry/span";
import { tracedHttp } from "../../../telemetry/traced-http";
import { tokenLists } from "../../../tokens/lists";
import type { ChainReading, PortfolioProvider, ReportUpstream } from "../../provider";
import { readHoldings } from "./holdings";
import type { Times } from "./price-feeds";
import { recentTransfers } from "./transfers";

/** Timeout of one RPC request. Three timeouts in a row still leave time for a fallback node. */
const CALL_MS = 2_500;
/** Timeout of the transfer search. The snapshot is returned without transfers after it. */
const ACTIVITY_MS = 6_000;
/** The maximum age of a chain's newest block before its node counts as lagging. */
const MAX_HEAD_AGE_SECONDS = 600n;

const withRequestHeaders = (_: Request, init: RequestInit): RequestInit => ({
  ...init,
  headers: { ...init.headers, ...requestIdHeader(), ...traceHeaders() },
});

type Options = {
  /** RPC URLs of the public chains. A chain without URLs can't be read. */
  rpcUrls: Readonly<Partial<Record<PublicChainSlug, readonly string[]>>>;
  /** The local chain, if there is one. */
  local?: { rpcUrl: string; tokens: TokenList } | undefined;
  report: ReportUpstream;
};

/** A chain can't be read. Clients receive the message. */
class ChainUnreadable extends Error {
  override name = "ChainUnreadable";
}

/** Describes an error for the log without URLs, which may contain keys. viem's short message has none. */
function describeError(error: unknown): string {
  if (error instanceof ChainUnreadable) return error.message;
  if (error instanceof BaseError) return `${error.name}: ${error.shortMessage}`;
  return error instanceof Error ? error.name : String(error);
}

/**
 * Reads portfolios from RPC nodes: balances of the curated tokens, Chainlink prices and Transfer logs. A failed read leaves
 * out the token or its price and adds a warning. It never counts as zero.
 */
export function rpcProvider({ rpcUrls, local, report }: Options): PortfolioProvider {
  const sourceOf = (chain: ChainSlug) => {
    if (chain === "local") {
      if (!local) throw new ChainUnreadable("is not configured");
      return { urls: [local.rpcUrl], tokens: local.tokens };
    }
    const urls = rpcUrls[chain] ?? [];
    if (urls.length === 0) throw new ChainUnreadable(`can't be read, because ${rpcVariable(chain)} is not set`);
    return { urls, tokens: tokenLists[chain] };
  };

  const readChain = async (chain: ChainSlug, address: Address, signal: AbortSignal): Promise<ChainReading> => {
    const logFailure = (what: string, error: unknown) => report({ chain, what, error: describeError(error) });
    try {
      const { urls, tokens } = sourceOf(chain);
      // Do not pass the signal to fetch: viem would use it instead of the timeout.
      const transports = urls.map((url) => tracedHttp(url, { timeout: CALL_MS, onFetchRequest: withRequestHeaders }));
      const client = createPublicClient({ transport: fallback(transports, { retryCount: 1 }) });
      const reading = await withDeadline(readFrom(client, chainFacts[chain], tokens, address, signal, logFailure), {
        signal,
      });
      return { chain, ok: true, ...reading };
    } catch (error) {
      logFailure("everything", error);
      if (error instanceof ChainUnreadable) return { chain, ok: false, reason: error.message };
      const reason = signal.aborted ? "did not answer in time" : "could not be read: its node does not answer";
      return { chain, ok: false, reason };
    }
  };

  return {
    name: "rpc",
    chains: [...publicChainSlugs, ...(local ? (["local"] as const) : [])],
    read: (address, chains, signal) => Promise.all(chains.map((chain) => readChain(chain, address, signal))),
  };
}

/** Reads holdings and transfers of one chain at its newest block. */
async function readFrom(
  client: PublicClient,
  chain: Chain,
  list: TokenList,
  address: Address,
  signal: AbortSignal,
  logFailure: (what: string, error: unknown) => void,
) {
  const [chainId, { number: blockNumber, timestamp }] = await Promise.all([client.getChainId(), client.getBlock()]);
  if (chainId !== chain.chainId)
    throw new ChainUnreadable(`could not be read: its node serves chain ${chainId} instead of ${chain.chainId}`);
  const times = timesOf(timestamp, chain);
  const contracts = list.tokens.map((token) => token.address);
  const [holdings, activity] = await Promise.all([
    readHoldings({ client, chain, list, address, blockNumber, times, logFailure }),
    withDeadline(recentTransfers(client, contracts, address, blockNumber, chain.activityBlocks), {
      signal,
      ms: ACTIVITY_MS,
    }).catch((error: unknown) => {
      logFailure("recent activity", error);
    }),
  ]);
  const warnings = [...holdings.warnings];
  if (times.present - times.block > MAX_HEAD_AGE_SECONDS)
    warnings.push(`the newest block is from ${isoTime(times.block)}; balances and prices may be out of date`);
  if (!activity) warnings.push("recent activity could not be read");
  return { ...holdings, activity: activity ?? [], warnings };
}

/** Uses the block time on chains with their own clock. Elsewhere a lagging node must not make old prices look fresh. */
function timesOf(block: bigint, { ownClock }: Chain): Times {
  const wallClock = BigInt(Math.floor(Date.now() / 1000));
  return { block, present: ownClock || block > wallClock ? block : wallClock };
}

const isoTime = (seconds: bigint) => new Date(Number(seconds) * 1000).toISOString();
