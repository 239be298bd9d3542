import type { Address, Hex } from "viem";
import type { ChainSlug } from "../../config/chains";
import { OperationError } from "../core/errors";
import type { Decimal } from "./decimal";

/** A non-zero balance of the native coin or a token. */
export type Holding = {
  /** Null for the native coin. */
  contract: Address | null;
  symbol: string | null;
  name: string | null;
  decimals: number | null;
  logo: string | null;
  rawBalance: bigint;
  /** US dollars per whole token; null without a trusted price. */
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

/** The result for one chain, or the reason for its failure, which clients receive as a warning. */
export type ChainReading =
  | {
      chain: ChainSlug;
      ok: true;
      /** At most one per contract. */
      holdings: Holding[];
      /** Whether no holding is missing. */
      complete: boolean;
      /** Newest first. */
      activity: Activity[];
      /** Failed reads, as sentences for clients. */
      warnings: string[];
    }
  | { chain: ChainSlug; ok: false; reason: string };

/** A source of portfolio balances. */
export type PortfolioProvider = {
  /** The `provider` field of responses. */
  name: string;
  /** The supported chains. */
  chains: readonly ChainSlug[];
  /** Reads the chains independently. A failed chain is a reading with `ok: false`, never an error. Ends soon after an abort. */
  read: (address: Address, chains: readonly ChainSlug[], signal: AbortSignal) => Promise<ChainReading[]>;
};

/** Logs an upstream failure. It must contain neither keys nor URLs. */
export type ReportUpstream = (failure: { chain: ChainSlug; what: string; error: string }) => void;

/** The maximum number of transfers in a snapshot. */
export const MAX_ACTIVITY = 20;

/** No chain could be read. The reasons are the same sentences as the warnings of a partial snapshot. */
export class AllChainsFailed extends OperationError {
  override name = "AllChainsFailed";
  readonly status = 500;
  readonly code = "upstream_failed";

  constructor(readonly reasons: readonly string[]) {
    super(`No chain could be read: ${reasons.join("; ")}`);
  }
}
