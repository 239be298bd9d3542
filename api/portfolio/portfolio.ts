import type { Address } from "viem";
import type { ChainSlug } from "../../config/chains";
import { EveryChainFailed, type PortfolioProvider } from "./provider";
import { type PortfolioSnapshot, snapshotOf } from "./snapshot";

/** How long all reading for one snapshot may take. */
const TIME_LIMIT_MS = 9_000;

/** How many snapshots are remembered at most; the oldest is forgotten first. */
const MAX_REMEMBERED = 1_000;

export type Portfolio = {
  /** The slugs of the chains that may be asked about. */
  chains: readonly ChainSlug[];
  /** What an address, in lowercase, has on some of those chains; {@link EveryChainFailed} when none of them answers. */
  snapshot: (address: Address, chains: readonly ChainSlug[]) => Promise<PortfolioSnapshot>;
};

type Options = {
  provider: PortfolioProvider;
  /** How long a snapshot is given again; 0 for not at all. */
  cacheMs: number;
};

/**
 * Makes the portfolio of a provider. Whoever asks for the same address and chains while they are being read waits for
 * the same reading, and for a short time afterwards gets the same snapshot. A snapshot that lacks a chain is not given again.
 */
export function createPortfolio({ provider, cacheMs }: Options): Portfolio {
  const flights = new Map<string, Promise<PortfolioSnapshot>>();
  const remembered = new Map<string, { snapshot: PortfolioSnapshot; until: number }>();

  const remember = (key: string, snapshot: PortfolioSnapshot) => {
    remembered.delete(key);
    remembered.set(key, { snapshot, until: Date.now() + cacheMs });
    const [oldest] = remembered.keys();
    if (remembered.size > MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
  };

  const read = async (key: string, address: Address, chains: readonly ChainSlug[]) => {
    const readings = await provider.read(address, chains, AbortSignal.timeout(TIME_LIMIT_MS));
    const reasons = readings.flatMap((reading) => (reading.ok ? [] : `${reading.chain}: ${reading.reason}`));
    if (reasons.length === readings.length) throw new EveryChainFailed(reasons);
    const snapshot = snapshotOf(address, new Date(), provider.name, readings);
    if (reasons.length === 0 && cacheMs > 0) remember(key, snapshot);
    return snapshot;
  };

  return {
    chains: provider.chains,
    async snapshot(address, chains) {
      const key = [address, ...chains].join(" ");
      const known = remembered.get(key);
      if (known && Date.now() < known.until) return known.snapshot;
      const underWay = flights.get(key);
      if (underWay) return underWay;
      const flight = read(key, address, chains).finally(() => flights.delete(key));
      flights.set(key, flight);
      return flight;
    },
  };
}
