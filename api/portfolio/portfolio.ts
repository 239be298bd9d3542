import type { Address } from "viem";
import type { ChainSlug } from "../../config/chains";
import { steadyTime } from "../../config/steady-time";
import { traceStep } from "../telemetry/span";
import { AllChainsFailed, type PortfolioProvider } from "./provider";
import { type PortfolioSnapshot, snapshotOf } from "./snapshot";

/** The time limit of one snapshot. */
const TIME_LIMIT_MS = 9_000;

/** The size limit of the cache. The oldest entry is evicted first. */
const MAX_CACHED = 1_000;

export type Portfolio = {
  /** The supported chains. */
  chains: readonly ChainSlug[];
  /** Reads the portfolio of a lowercase address. Throws {@link AllChainsFailed} if no chain can be read. */
  snapshot: (address: Address, chains: readonly ChainSlug[]) => Promise<PortfolioSnapshot>;
};

type Options = {
  provider: PortfolioProvider;
  /** How long a snapshot is cached; 0 disables the cache. */
  cacheMs: number;
};

/**
 * Creates the portfolio service of a provider. Concurrent requests for the same address and chains share one read.
 * Complete snapshots are cached; a snapshot without one of its chains is not.
 */
export function createPortfolio({ provider, cacheMs }: Options): Portfolio {
  const inFlight = new Map<string, Promise<PortfolioSnapshot>>();
  const cache = new Map<string, { snapshot: PortfolioSnapshot; until: number }>();

  const addToCache = (key: string, snapshot: PortfolioSnapshot) => {
    cache.delete(key);
    cache.set(key, { snapshot, until: steadyTime() + cacheMs });
    const [oldest] = cache.keys();
    if (cache.size > MAX_CACHED && oldest !== undefined) cache.delete(oldest);
  };

  const read = async (key: string, address: Address, chains: readonly ChainSlug[]) => {
    const attributes = { "intentry.provider": provider.name, "intentry.chains": chains.join(",") };
    const readings = await traceStep({ name: "portfolio read", attributes }, () =>
      provider.read(address, chains, AbortSignal.timeout(TIME_LIMIT_MS)),
    );
    const reasons = readings.flatMap((reading) => (reading.ok ? [] : `${reading.chain}: ${reading.reason}`));
    if (reasons.length === readings.length) throw new AllChainsFailed(reasons);
    const snapshot = snapshotOf(address, new Date(), provider.name, readings);
    if (reasons.length === 0 && cacheMs > 0) addToCache(key, snapshot);
    return snapshot;
  };

  return {
    chains: provider.chains,
    async snapshot(address, chains) {
      const key = [address, ...chains].join(" ");
      const cached = cache.get(key);
      if (cached && steadyTime() < cached.until) return cached.snapshot;
      const pending = inFlight.get(key);
      if (pending) return pending;
      const reading = read(key, address, chains).finally(() => inFlight.delete(key));
      inFlight.set(key, reading);
      return reading;
    },
  };
}
