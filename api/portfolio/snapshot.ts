import { z } from "@hono/zod-openapi";

const decimal = z.string();

const ChainSummary = z.strictObject({
  chain: z.string(),
  tokenCount: z.int(),
  pricedTokenCount: z.int(),
  unpricedTokenCount: z.int(),
  totalValueUsd: decimal.nullable(),
});

const TopHolding = z.strictObject({
  chain: z.string(),
  contract: z.string().nullable(),
  symbol: z.string().nullable(),
  name: z.string().nullable(),
  valueUsd: decimal,
});

const PortfolioToken = z.strictObject({
  chain: z.string(),
  chainId: z.string(),
  contract: z.string().nullable(),
  symbol: z.string().nullable(),
  name: z.string().nullable(),
  decimals: z.int().nullable(),
  logo: z.string().nullable(),
  rawBalance: z.string(),
  balance: decimal.nullable(),
  priceUsd: decimal.nullable(),
  valueUsd: decimal.nullable(),
});

const RecentActivity = z.strictObject({
  chain: z.string().nullable(),
  hash: z.string().nullable(),
  from: z.string().nullable(),
  to: z.string().nullable(),
  blockNumber: z.union([z.int(), z.string()]).nullable(),
  timestamp: z.string().nullable(),
});

/** What a wallet holds on some chains, as it is answered. */
export const PortfolioSnapshot = z
  .strictObject({
    address: z.string(),
    timestamp: z.iso.datetime(),
    chains: z.array(z.string()),
    summary: z.strictObject({
      totalValueUsd: decimal.nullable(),
      pricedTokenCount: z.int(),
      unpricedTokenCount: z.int(),
      tokenCount: z.int(),
      stablecoinValueUsd: decimal.nullable(),
      chains: z.array(ChainSummary),
      topHoldings: z.array(TopHolding),
      warnings: z.array(z.string()),
    }),
    tokens: z.array(PortfolioToken),
    positions: z.array(z.unknown()),
    recentActivity: z.array(RecentActivity),
    provider: z.string(),
  })
  .openapi("PortfolioSnapshot");
export type PortfolioSnapshot = z.infer<typeof PortfolioSnapshot>;
