import { createHash } from "node:crypto";
import type pg from "pg";
import type { Address } from "viem";
import { LOCAL_CHAIN_ID } from "../config/networks";
import type { ListedToken } from "../config/token-list";
import { NOW } from "./row-values";

const LISTED = 5;
/** How many hours have prices: more than the participants of the generated index act in. */
const PRICED_HOURS = 20_000;

const md5 = (text: string) => createHash("md5").update(text).digest("hex");

/** The address of a token of the generated index, as bench/row-values.ts generates it. */
const addressOf = (number: number): Address => `0x${(md5(`token${number}`) + md5(`more token${number}`)).slice(0, 40)}`;

/** Some tokens of the generated index, as a token list. */
export const listedTokens: ReadonlyMap<Address, ListedToken> = new Map(
  Array.from({ length: LISTED }, (_, index) => addressOf(index + 1)).map((address) => [
    address,
    { address, symbol: "T", name: "Token", decimals: 6, logo: null, stablecoin: false, feeds: [] },
  ]),
);

/** Gives the listed tokens a price for every hour. */
export async function savePrices(pool: pg.Pool): Promise<void> {
  await pool.query(
    `INSERT INTO offchain.token_price (chain_id, address, hour, price, unit_price)
     SELECT ${LOCAL_CHAIN_ID}, address, ${NOW} - ${NOW} % 3600 - 3600 * n, 1.5, 0.0000015
     FROM unnest($1::text[]) AS address, generate_series(0, ${PRICED_HOURS - 1}) AS n ON CONFLICT DO NOTHING`,
    [[...listedTokens.keys()]],
  );
  await pool.query("ANALYZE offchain.token_price");
}

/** The rankings and the records of participants, by title. */
export const rankingPaths = (solverId: number, intentId: number): Readonly<Record<string, string>> => ({
  "leaderboard, 24 hours": "/leaderboard/merchants?window=24h",
  "leaderboard, 7 days": "/leaderboard/agents?window=7d",
  "leaderboard, 30 days": "/leaderboard/services?window=30d",
  "leaderboard, all time": "/leaderboard/merchants?window=all",
  "solvers, by win rate of 30 days": "/solvers/leaderboard?by=win_rate&window=30d",
  "solvers, by surplus of all time": "/solvers/leaderboard?by=surplus&window=all",
  "performance of a solver": `/solvers/${solverId}/performance`,
  "competition of a contested intent": `/intents/${intentId}/competition`,
  "volume in dollars": "/analytics/timeseries?metric=fill_volume&interval=day&unit=usd",
  "volume of a merchant in dollars": "/analytics/timeseries?metric=receipt_volume&interval=day&unit=usd&merchant_id=1",
});
