import type { Random } from "./random";

const DAY = 86_400;
const HOUR = 3_600;

/** How long the market week is, in seconds. */
export const MARKET_WEEK_SECONDS = 7 * DAY;

/** How long before the present the participants register, in seconds: those of less than a week count as new. */
export const REGISTERED_SECONDS = MARKET_WEEK_SECONDS + 20 * HOUR;

/** What is before the market week must have ended this long before the present, in seconds. */
export const MARKET_HISTORY_SECONDS = MARKET_WEEK_SECONDS + DAY;

/** The days of the week: when something happens, in hours, and how many trades and sales there are. Business grows. */
const days = [
  { hours: [7.2, 13.1, 19.4], trades: 4, sales: 5 },
  { hours: [6.5, 12.6, 18.9], trades: 5, sales: 6 },
  { hours: [8.1, 13.7, 20.2], trades: 6, sales: 7 },
  { hours: [7.7, 12.2, 19.1], trades: 7, sales: 9 },
  { hours: [6.9, 14.3, 20.8], trades: 9, sales: 10 },
  { hours: [5.3, 10.7, 15.2, 20.6], trades: 10, sales: 13 },
  { hours: [2.4, 5.6, 8.3, 11.2, 14.4, 17.1, 19.8, 22.9, 23.4, 23.92], trades: 14, sales: 16 },
] as const;

/** Offers open in one block and close in the next one, half a minute later. */
export type Session = {
  day: number;
  /** Whether it is the first one of its day. */
  isFirst: boolean;
  /** Whether the price feeds begin a round. */
  hasNewPrices: boolean;
  /** Whether it is one of the last three of the week. Their offers may still be open. */
  isLate: boolean;
  opensAt: bigint;
  closesAt: bigint;
  /** How many intents and quotes open. */
  trades: number;
  sales: number;
};

/** The part of a number that falls to one of `parts`, so that the parts have that sum. */
const partOf = (total: number, index: number, parts: number) =>
  Math.floor(((index + 1) * total) / parts) - Math.floor((index * total) / parts);

/** The sessions of the week before `present`. */
export const sessionsBefore = (present: bigint, random: Random): Session[] =>
  days.flatMap(({ hours, trades, sales }, day) =>
    hours.map((hour, index) => {
      const start = present - BigInt(MARKET_WEEK_SECONDS - day * DAY);
      const opensAt = start + BigInt(Math.round(hour * HOUR));
      return {
        day,
        isFirst: index === 0,
        hasNewPrices: index % 3 === 0,
        isLate: day === days.length - 1 && index >= hours.length - 3,
        opensAt,
        closesAt: opensAt + BigInt(Math.round(random.between(18, 55))),
        trades: partOf(trades, index, hours.length),
        sales: partOf(sales, index, hours.length),
      };
    }),
  );
