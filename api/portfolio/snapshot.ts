import { z } from "@hono/zod-openapi";
import type { Address } from "viem";
import { type ChainSlug, chains as chainFacts } from "../../config/chains";
import { type Decimal, largestFirst, plainText, plus, roundedHalfUp, times, zero } from "./decimal";
import { type Activity, type ChainReading, type Holding, MAX_ACTIVITY } from "./provider";

const VALUE_FRACTION_DIGITS = 6;
const TOTAL_FRACTION_DIGITS = 2;
const TOP_HOLDINGS = 10;

/** A plain decimal: no exponent, no trailing zeros, optionally at most `fractionDigits` fraction digits. */
const decimal = (fractionDigits: number | "" = "") =>
  z.string().regex(new RegExp(`^(0|[1-9]\\d*)(\\.(?=\\d{1,${fractionDigits}}$)\\d*[1-9])?$`));

const count = z.number().int().min(0);
const text = z.string().nullable();
const contract = z
  .string()
  .regex(/^0x[0-9a-f]{40}$/)
  .nullable();
const value = decimal(VALUE_FRACTION_DIGITS).openapi({ example: "1234.5" });
const total = decimal(TOTAL_FRACTION_DIGITS).nullable().openapi({
  description: "US dollars. Null if no token has a price and there are, or may be, tokens.",
  example: "1234.5",
});

const PortfolioToken = z
  .object({
    chain: z.string(),
    chainId: z
      .string()
      .regex(/^eip155:\d+$/)
      .openapi({ example: "eip155:8453" }),
    contract: contract.openapi({ description: "Null for the native coin." }),
    symbol: text,
    name: text,
    decimals: z.number().int().min(0).nullable(),
    logo: text,
    rawBalance: z.string().regex(/^\d+$/),
    balance: decimal().nullable().openapi({ example: "0.25" }),
    priceUsd: decimal().nullable().openapi({ example: "3000.12345678" }),
    valueUsd: value.nullable(),
  })
  .openapi("PortfolioToken");

const counts = { tokenCount: count, pricedTokenCount: count, unpricedTokenCount: count };

const ChainSummary = z.object({ chain: z.string(), ...counts, totalValueUsd: total }).openapi("ChainSummary");

const TopHolding = z
  .object({ chain: z.string(), contract, symbol: text, name: text, valueUsd: value })
  .openapi("TopHolding");

const PortfolioSummary = z
  .object({
    totalValueUsd: total,
    ...counts,
    stablecoinValueUsd: total,
    chains: z.array(ChainSummary),
    topHoldings: z.array(TopHolding).max(TOP_HOLDINGS),
    warnings: z
      .array(z.string())
      .openapi({ description: "What could not be read, and how many tokens have no price, as sentences." }),
  })
  .openapi("PortfolioSummary");

const RecentActivity = z
  .object({
    chain: text,
    hash: text,
    from: text,
    to: text,
    blockNumber: z.string().regex(/^\d+$/).nullable(),
    timestamp: z.iso.datetime().nullable(),
  })
  .openapi("RecentActivity");

/** The output of `GET /portfolio`. */
export const PortfolioSnapshot = z
  .object({
    address: z.string().regex(/^0x[0-9a-f]{40}$/),
    timestamp: z.iso.datetime(),
    chains: z.array(z.string()),
    summary: PortfolioSummary,
    tokens: z.array(PortfolioToken),
    positions: z.array(z.unknown()),
    recentActivity: z.array(RecentActivity).max(MAX_ACTIVITY),
    provider: z.string(),
  })
  .openapi("PortfolioSnapshot");
export type PortfolioSnapshot = z.infer<typeof PortfolioSnapshot>;

/** A holding with its chain and its exact value, or null without a price or decimals. */
type Valued = Holding & { chain: ChainSlug; value: Decimal | null };

const valued = (chain: ChainSlug, holding: Holding): Valued => {
  const { rawBalance, decimals, price } = holding;
  const hasValue = decimals !== null && price !== null;
  return { ...holding, chain, value: hasValue ? times({ digits: rawBalance, scale: decimals }, price) : null };
};

/** Largest value first, unpriced last. Ties are ordered by contract, with the native coin first. */
const byValue = (left: Valued, right: Valued) =>
  left.value && right.value
    ? largestFirst(left.value, right.value) || byContract(left, right)
    : Number(left.value === null) - Number(right.value === null) || byContract(left, right);

const byContract = (left: Valued, right: Valued) => compare(left.contract ?? "", right.contract ?? "");

const compare = (left: string, right: string) => (left === right ? 0 : left < right ? -1 : 1);

/**
 * The sum of the priced holdings, rounded once. Null (unknown) if no holding is priced and there are, or may be, holdings.
 * 0 if there are no holdings.
 */
function totalOf(holdings: readonly Valued[], complete: boolean): string | null {
  const values = holdings.flatMap(({ value }) => value ?? []);
  if (values.length === 0 && (holdings.length > 0 || !complete)) return null;
  return plainText(roundedHalfUp(values.reduce(plus, zero), TOTAL_FRACTION_DIGITS));
}

const valueText = (value: Decimal) => plainText(roundedHalfUp(value, VALUE_FRACTION_DIGITS));

const countsOf = (holdings: readonly Valued[]) => {
  const pricedTokenCount = holdings.filter(({ value }) => value !== null).length;
  return {
    tokenCount: holdings.length,
    pricedTokenCount,
    unpricedTokenCount: holdings.length - pricedTokenCount,
  };
};

/** The totals don't include tokens without a price, so the snapshot says how many there are. */
function unpricedWarning(holdings: readonly Valued[]): string[] {
  const { unpricedTokenCount: count } = countsOf(holdings);
  if (count === 0) return [];
  return [
    count === 1
      ? "1 token has no price and is not in the totals"
      : `${count} tokens have no price and are not in the totals`,
  ];
}

function tokenOf({ chain, contract, symbol, name, decimals, logo, rawBalance, price, value }: Valued) {
  return {
    chain,
    chainId: `eip155:${chainFacts[chain].chainId}`,
    contract,
    symbol,
    name,
    decimals,
    logo,
    rawBalance: String(rawBalance),
    balance: decimals === null ? null : plainText({ digits: rawBalance, scale: decimals }),
    priceUsd: price && plainText(price),
    valueUsd: value && valueText(value),
  };
}

const newestFirst = (left: Activity, right: Activity) =>
  (right.timestamp?.getTime() ?? 0) - (left.timestamp?.getTime() ?? 0);

const activityOf = (chain: ChainSlug, { hash, from, to, blockNumber, timestamp }: Activity) => ({
  chain,
  hash,
  from,
  to,
  blockNumber: String(blockNumber),
  timestamp: timestamp?.toISOString() ?? null,
});

/**
 * Builds a snapshot from the readings, in their order. Totals are rounded from exact sums, not from the rounded values. A
 * failed chain has an empty summary with a null total, and a warning.
 */
export function snapshotOf(
  address: Address,
  timestamp: Date,
  provider: string,
  readings: readonly ChainReading[],
): PortfolioSnapshot {
  const perChain = readings.map((reading) => ({
    chain: reading.chain,
    complete: reading.ok && reading.complete,
    holdings: reading.ok ? reading.holdings.map((holding) => valued(reading.chain, holding)).sort(byValue) : [],
    warnings: reading.ok ? reading.warnings : [reading.reason],
  }));
  const holdings = perChain.flatMap(({ holdings }) => holdings);
  const complete = perChain.every(({ complete }) => complete);
  const activity = readings
    .flatMap((reading) => (reading.ok ? reading.activity.map((item) => ({ ...item, chain: reading.chain })) : []))
    .sort(newestFirst);

  return {
    address,
    timestamp: timestamp.toISOString(),
    chains: readings.map(({ chain }) => chain),
    summary: {
      totalValueUsd: totalOf(holdings, complete),
      ...countsOf(holdings),
      stablecoinValueUsd: totalOf(
        holdings.filter(({ stablecoin }) => stablecoin),
        complete,
      ),
      chains: perChain.map(({ chain, complete, holdings }) => ({
        chain,
        ...countsOf(holdings),
        totalValueUsd: totalOf(holdings, complete),
      })),
      // The sort is stable: equal values keep the order of chains and, within a chain, of contracts.
      topHoldings: holdings
        .flatMap((holding) => (holding.value ? { ...holding, value: holding.value } : []))
        .sort((left, right) => largestFirst(left.value, right.value))
        .slice(0, TOP_HOLDINGS)
        .map(({ chain, contract, symbol, name, value }) => ({
          chain,
          contract,
          symbol,
          name,
          valueUsd: valueText(value),
        })),
      warnings: perChain.flatMap(({ chain, warnings, holdings }) =>
        [...warnings, ...unpricedWarning(holdings)].map((warning) => `${chain}: ${warning}`),
      ),
    },
    tokens: holdings.map(tokenOf),
    positions: [],
    recentActivity: activity.slice(0, MAX_ACTIVITY).map((item) => activityOf(item.chain, item)),
    provider,
  };
}
