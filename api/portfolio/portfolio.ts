import type { Address } from "viem";
import type { PortfolioSnapshot } from "./snapshot";

/** What answers for portfolios, wherever its data comes from. */
export type Portfolio = {
  /** The slugs of the chains it knows. */
  chains: readonly string[];
  /** Everything about a wallet on some chains. A chain that fails is a warning; it throws when every one fails. */
  snapshot(address: Address, chains: readonly string[]): Promise<PortfolioSnapshot>;
};
