import type { Address, Hex } from "viem";
import type { ChainSlug } from "../../config/chains";
import { OperationError } from "../core/errors";
import type { Decimal } from "./decimal";

/** Something an address has on a chain: the native coin or a token. What is zero is not held. */
export type Holding = {
  /** Null for the native coin. */
  contract: Address | null;
  symbol: string | null;
  name: string | null;
  decimals: number | null;
  logo: string | null;
  rawBalance: bigint;
  /** US dollars for one whole token; null when no price can be trusted. */
  price: Decimal | null;
  stablecoin: boolean;
};

/** A transfer from or to the address. */
export type Activity = {
  hash: Hex;
  from: Address | null;
  to: Address | null;
  blockNumber: bigint;
  timestamp: Date | null;
};

/** What was found on one chain, or the sentence that says why nothing was; it is shown to clients. */
export type ChainReading =
  | {
      chain: ChainSlug;
      ok: true;
      /** No contract twice. */
      holdings: Holding[];
      /** Whether everything that is held there is among the holdings. */
      complete: boolean;
      /** Newest first. */
      activity: Activity[];
      /** Sentences for clients about what could not be read. */
      warnings: string[];
    }
  | { chain: ChainSlug; ok: false; reason: string };

/** Where portfolios come from. */
export type PortfolioProvider = {
  /** The constant by which answers name it. */
  name: string;
  /** The chains it may be asked about. */
  chains: readonly ChainSlug[];
  /** Reads the chains, each for itself: one that fails is a reading that says so, never an error. It ends soon after the signal. */
  read: (address: Address, chains: readonly ChainSlug[], signal: AbortSignal) => Promise<ChainReading[]>;
};

/** Takes note of what went wrong upstream, for the operators' log; it must hold no key and no URL. */
export type ReportUpstream = (failure: { chain: ChainSlug; what: string; error: string }) => void;

/** At most this much activity is shown. */
export const MAX_ACTIVITY = 20;

/** No chain could be read, so there is no portfolio to show. Why is said in the words that a warning would have. */
export class EveryChainFailed extends OperationError {
  override name = "EveryChainFailed";
  readonly status = 500;

  constructor(readonly reasons: readonly string[]) {
    super(`No chain could be read: ${reasons.join("; ")}`);
  }
}
