import type { Address } from "viem";
import type { ListedToken } from "../../config/token-list";
import type { HourPrice, TokenHour } from "../offchain/token-prices";
import { type Decimal, plainText } from "../portfolio/decimal";
import { type Feed, type FeedSource, readFeeds } from "./feed-reads";
import { priceOfHour } from "./price-of-hour";

/** Prices that were read. What is in neither list could not be read. */
type Read = {
  prices: HourPrice[];
  /** The first failure. */
  error: unknown;
};

async function priceAt(
  { feeds }: ListedToken,
  found: ReadonlyMap<Address, Feed>,
  hour: bigint,
): Promise<Decimal | null> {
  const answers = await Promise.all(
    feeds.map(async ({ address, maxAgeSeconds }) => {
      const feed = found.get(address);
      const digits = await feed?.history.answerAt(hour, maxAgeSeconds);
      return feed && digits !== undefined ? { digits, scale: feed.decimals } : undefined;
    }),
  );
  return priceOfHour(answers);
}

/** Reads the prices of tokens in hours. A failed read leaves out the hours that need it. */
export async function readPrices(
  source: FeedSource,
  tokens: ReadonlyMap<Address, ListedToken>,
  wanted: readonly TokenHour[],
): Promise<Read> {
  const addresses = new Set(
    wanted.flatMap(({ address }) => tokens.get(address)?.feeds.map((feed) => feed.address) ?? []),
  );
  const found = await readFeeds(source, [...addresses]);
  const results = await Promise.allSettled(
    wanted.map(async ({ address, hour }): Promise<HourPrice[]> => {
      const token = tokens.get(address);
      if (!token) return [];
      const price = await priceAt(token, found, hour);
      const unit = price && { ...price, scale: price.scale + token.decimals };
      return [{ address, hour, price: price && plainText(price), unitPrice: unit && plainText(unit) }];
    }),
  );
  return {
    prices: results.flatMap((result) => (result.status === "fulfilled" ? result.value : [])),
    error: results.find((result) => result.status === "rejected")?.reason,
  };
}
