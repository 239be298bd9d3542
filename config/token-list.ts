import { z } from "zod";
import { address } from "./values";

/** A Chainlink price feed and the maximum age of its price. A token's price in US dollars is the product of its feeds. */
const PriceFeed = z.object({ address, maxAgeSeconds: z.number().int().positive() });

const Token = z.object({
  address,
  symbol: z.string(),
  name: z.string(),
  decimals: z.number().int().min(0).max(255),
  logo: z.url({ protocol: /^https?$/ }).nullable(),
  /** Whether the token is pegged to the US dollar. */
  stablecoin: z.boolean(),
  /** Empty for a token without a price. */
  feeds: z.array(PriceFeed),
});

/** The tokens of one chain that portfolios read, and their price feeds. */
export const TokenList = z.object({
  /** The feeds of the native coin. */
  native: z.array(PriceFeed),
  /** The uptime feed of a rollup's sequencer. Null if the chain has none. */
  sequencer: address.nullable(),
  tokens: z.array(Token),
});

export type PriceFeed = z.infer<typeof PriceFeed>;
export type ListedToken = z.infer<typeof Token>;
export type TokenList = z.infer<typeof TokenList>;
