import { z } from "zod";
import { address } from "./values";

/** The Chainlink feeds whose answers, multiplied, are a price in US dollars, and how old each answer may be. */
const Feed = z.object({ address, maxAgeSeconds: z.number().int().positive() });

const Token = z.object({
  address,
  symbol: z.string(),
  name: z.string(),
  decimals: z.number().int().min(0).max(255),
  logo: z.url({ protocol: /^https?$/ }).nullable(),
  /** Whether it is meant to be worth one dollar. */
  stablecoin: z.boolean(),
  /** None for a token without a price. */
  feeds: z.array(Feed),
});

/** The tokens of one chain that are looked for, and where their prices are read. */
export const TokenList = z.object({
  /** The feeds of the native coin. */
  native: z.array(Feed),
  /** The feed that says whether a rollup's sequencer runs; null where the chain has none. */
  sequencer: address.nullable(),
  tokens: z.array(Token),
});

export type Feed = z.infer<typeof Feed>;
export type ListedToken = z.infer<typeof Token>;
export type TokenList = z.infer<typeof TokenList>;
