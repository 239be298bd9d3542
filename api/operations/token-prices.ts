import { and, eq, gte, isNotNull, lt, type SQL, sql } from "drizzle-orm";
import { intervalSeconds } from "../../common/rows/interval";
import { NotFound } from "../core/errors";
import { address, exactly, time } from "../core/inputs";
import { operation, z } from "../core/operation";
import { addressText, timeText } from "../core/outputs";
import { type Placeholders, preparedQuery } from "../indexed/prepared-query";
import type { StoreDatabase } from "../offchain/open";
import { tokenPrice } from "../offchain/tables";
import { MAX_DECIMALS } from "../tokens/token";
import { rangeOf } from "./time-series";

const intervals = ["hour", "day"] as const;

const priceText = z
  .string()
  .regex(/^\d+(\.\d+)?$/)
  .openapi({ example: "2999.5" });

const TokenPrices = z
  .strictObject({
    address: addressText,
    chain_id: z.int().openapi({ example: 31337 }),
    symbol: z.string().openapi({ example: "tUSD" }),
    decimals: z.int().min(0).max(MAX_DECIMALS).openapi({ example: 6 }),
    interval: z.enum(intervals),
    from: timeText.openapi({ description: "The start of the first interval, in unix seconds." }),
    to: timeText.openapi({ description: "The end of the last interval, in unix seconds. It is not included." }),
    points: z.array(
      z.strictObject({
        start: timeText.openapi({ description: "The start of the interval, in unix seconds." }),
        price: priceText.nullable().openapi({
          description:
            "US dollars for one whole token: the answer of its feeds at the start of the hour, or their first one in it. Of a day, the last price of its hours. Null if there is none.",
        }),
        open: priceText.nullable().optional().openapi({ description: "The day's first price. Days only." }),
        high: priceText.nullable().optional().openapi({ description: "The day's highest price. Days only." }),
        low: priceText.nullable().optional().openapi({ description: "The day's lowest price. Days only." }),
      }),
    ),
  })
  .openapi("TokenPrices");

type Query = Pick<typeof tokenPrice.$inferSelect, "chainId" | "address"> & {
  first: bigint;
  end: bigint;
  seconds: bigint;
};

/** The prices in the intervals that have one. */
const selectPrices = preparedQuery(
  (db: StoreDatabase, { chainId, address, first, end, seconds }: Placeholders<Query>) => {
    const { hour, price } = tokenPrice;
    const ordered = (order: SQL) => sql<string>`trim_scale((array_agg(${price} ORDER BY ${hour} ${order}))[1])::text`;
    const start = sql`${hour} - ${hour} % ${seconds}::bigint`;
    return db
      .select({
        start: sql<string>`(${start})::text`.as("start"),
        price: ordered(sql`DESC`),
        open: ordered(sql`ASC`),
        high: sql<string>`trim_scale(max(${price}))::text`,
        low: sql<string>`trim_scale(min(${price}))::text`,
      })
      .from(tokenPrice)
      .where(
        and(
          eq(tokenPrice.chainId, chainId),
          eq(tokenPrice.address, address),
          gte(hour, first),
          lt(hour, end),
          isNotNull(price),
        ),
      )
      .groupBy(sql`1`);
  },
);

/** An interval without prices. */
const none = { price: null, open: null, high: null, low: null };

const getPrices = operation({
  route: "GET /tokens/{address}/prices",
  summary: "The dollar prices of a listed token, by hour or day of UTC.",
  description: "The prices of Chainlink's feeds that values in dollars use.",
  input: z.object({ address, interval: exactly(...intervals), from: time.optional(), to: time.optional() }),
  output: TokenPrices,
  example: { address: "0xa513e6e4b8f2a923d98304ec87f64353c4d5c853", interval: "hour" },
  dependsOn: ["store", "time"],
  async run({ config: { chainId, listed }, store, clock }, { address, interval, from, to }) {
    const token = listed.get(address);
    if (!token) throw new NotFound(`${address} is not on the token list of chain ${chainId}, so it has no prices`);
    const { first, end } = rangeOf({ interval, from, to: to ?? (await clock()).now });
    const seconds = intervalSeconds[interval];
    const rows = await selectPrices(await store(), { chainId, address, first, end, seconds });
    const found = new Map(rows.map((row) => [row.start, row]));
    const starts: string[] = [];
    for (let start = first; start < end; start += seconds) starts.push(String(start));
    return {
      address,
      chain_id: chainId,
      symbol: token.symbol,
      decimals: token.decimals,
      interval,
      from: String(first),
      to: String(end),
      points: starts.map((start) => {
        const { price, ...day } = found.get(start) ?? none;
        return { ...(interval === "day" && day), start, price };
      }),
    };
  },
});

export const tokenPrices = { prices: getPrices };
