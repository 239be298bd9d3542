import type { Address } from "viem";

/**
 * Where the facts about a token come from:
 * - `list`: our token list, or the chain's native coin (the zero address)
 * - `contract`: the token's own contract, which can say anything
 * - `unknown`: the address has no contract, or the contract returns no such values
 * - `pending`: the contract was not read yet, or its node did not answer
 */
export const tokenSources = ["list", "contract", "unknown", "pending"] as const;

/** A token as people know it. Texts from contracts are short and have no control characters. */
export type Token = {
  address: Address;
  symbol: string | null;
  name: string | null;
  /** At most {@link MAX_DECIMALS}. */
  decimals: number | null;
  source: (typeof tokenSources)[number];
};

/** With more decimals, 2^256 − 1 would be less than one whole token. */
export const MAX_DECIMALS = 77;

export type Tokens = {
  /**
   * Finds tokens by address. Tokens that were never read are read from their contracts in the background, a few at a time;
   * the call waits for them up to `waitMs`, and returns the others as pending. Reads for a caller count against the share of
   * its client. The caller is marked as limited if tokens are pending because the share is used up.
   */
  find: (
    addresses: readonly Address[],
    waitMs: number,
    caller?: { client: string; isLimited?: boolean },
  ) => Promise<ReadonlyMap<Address, Token>>;
  /** Finds tokens by symbol or name, in any case: listed ones first, then those whose contracts were read. */
  named: (text: string) => Promise<readonly Token[]>;
};
