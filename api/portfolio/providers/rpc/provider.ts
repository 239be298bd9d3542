import { type Address, BaseError, createPublicClient, fallback, http, type PublicClient } from "viem";
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
import type { ChainReading, PortfolioProvider, ReportUpstream } from "../../provider";
import { tokenLists } from "../../token-lists";
import type { Times } from "./feeds";
import { readHoldings } from "./holdings";
import { recentTransfers } from "./transfers";

/** How long a node has for one answer: short enough that three in a row may be waited for in vain before another node is asked. */
const CALL_MS = 2_500;
/** How long the search for transfers may take; a snapshot is worth having without it. */
const ACTIVITY_MS = 6_000;
/** How old a chain's newest block may be before its node is thought to lag. */
const MAX_HEAD_AGE_SECONDS = 600n;

type Options = {
  /** The RPC URLs of the public chains; a chain without any can't be read. */
  rpcUrls: Readonly<Partial<Record<PublicChainSlug, readonly string[]>>>;
  /** The local chain, where there is one. */
  local?: { rpcUrl: string; tokens: TokenList } | undefined;
  report: ReportUpstream;
};

/** Why a chain could not be read, in words for clients. */
class Unreadable extends Error {
  override name = "Unreadable";
}

/** An error in words for the log. Of viem's it is the short message, which names no URL: URLs may hold keys. */
function inShort(error: unknown): string {
  if (error instanceof Unreadable) return error.message;
  if (error instanceof BaseError) return `${error.name}: ${error.shortMessage}`;
  return error instanceof Error ? error.name : String(error);
}

/**
 * Reads portfolios from nodes of the chains themselves: balances of the curated tokens, prices of Chainlink's feeds, and
 * Transfer logs. Whatever can't be read is left out or without a price, and said to be so; it never counts as zero.
 */
export function rpcProvider({ rpcUrls, local, report }: Options): PortfolioProvider {
  const sourceOf = (chain: ChainSlug) => {
    if (chain === "local") {
      if (!local) throw new Unreadable("is not configured here");
      return { urls: [local.rpcUrl], tokens: local.tokens };
    }
    const urls = rpcUrls[chain] ?? [];
    if (urls.length === 0) throw new Unreadable(`can't be read, because ${rpcVariable(chain)} is not set here`);
    return { urls, tokens: tokenLists[chain] };
  };

  const readChain = async (chain: ChainSlug, address: Address, signal: AbortSignal): Promise<ChainReading> => {
    const note = (what: string, error: unknown) => report({ chain, what, error: inShort(error) });
    try {
      const { urls, tokens } = sourceOf(chain);
      // The signal is not for fetch: viem would let it take the place of the timeout.
      const transports = urls.map((url) => http(url, { timeout: CALL_MS }));
      const client = createPublicClient({ transport: fallback(transports, { retryCount: 1 }) });
      const reading = await withDeadline(readFrom(client, chainFacts[chain], tokens, address, signal, note), {
        signal,
      });
      return { chain, ok: true, ...reading };
    } catch (error) {
      note("everything", error);
      if (error instanceof Unreadable) return { chain, ok: false, reason: error.message };
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

/** Reads everything of one chain as of its newest block. `note` takes what could not be read, for the log. */
async function readFrom(
  client: PublicClient,
  chain: Chain,
  list: TokenList,
  address: Address,
  signal: AbortSignal,
  note: (what: string, error: unknown) => void,
) {
  const [chainId, { number: blockNumber, timestamp }] = await Promise.all([client.getChainId(), client.getBlock()]);
  if (chainId !== chain.chainId)
    throw new Unreadable(`could not be read: its node is of chain ${chainId}, not of ${chain.chainId}`);
  const times = timesOf(timestamp, chain);
  const contracts = list.tokens.map((token) => token.address);
  const [holdings, activity] = await Promise.all([
    readHoldings({ client, chain, list, address, blockNumber, times, note }),
    withDeadline(recentTransfers(client, contracts, address, blockNumber, chain.activityBlocks), {
      signal,
      ms: ACTIVITY_MS,
    }).catch((error: unknown) => {
      note("recent activity", error);
    }),
  ]);
  const warnings = [...holdings.warnings];
  if (times.present - times.block > MAX_HEAD_AGE_SECONDS)
    warnings.push(`the newest block is of ${isoTime(times.block)}; balances and prices may be out of date`);
  if (!activity) warnings.push("recent activity could not be read");
  return { ...holdings, activity: activity ?? [], warnings };
}

/** A chain with a clock of its own has no other time. On any other, a node that lags must not make old prices look fresh. */
function timesOf(block: bigint, { ownClock }: Chain): Times {
  const wallClock = BigInt(Math.floor(Date.now() / 1000));
  return { block, present: ownClock || block > wallClock ? block : wallClock };
}

const isoTime = (seconds: bigint) => new Date(Number(seconds) * 1000).toISOString();
