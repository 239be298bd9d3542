import { keccak256, toHex } from "viem";
import type { ListedToken } from "../../../config/token-list";

// Dollars in whole numbers of 10^-85: prices have 8 decimals, and tokens at most 77.

const SCALE = 85;
const PRICE_DECIMALS = 8;

const HOUR = 3_600n;

/** The first second of the hour of a time. */
export const hourAt = (time: bigint) => time - (time % HOUR);

export type Listed = Pick<ListedToken, "decimals">;

/** The price of a token in an hour, in units of 10^-8 dollars: null for an hour without a price, undefined for one that was not read. */
export type PriceOf = (token: string, hour: bigint) => bigint | null | undefined;

/** Prices that differ by token and hour. A few hours have none, or have not been read. */
export const arbitraryPrice: PriceOf = (token, hour) => {
  const number = BigInt(keccak256(toHex(`${token} ${hour}`)));
  const kind = number % 10n;
  return kind === 0n ? null : kind === 1n ? undefined : (number / 10n) % 10n ** 12n;
};

/** The exact value of an amount at the price of the hour of a time; null if there is none. */
export function dollarsOf(
  amount: bigint,
  price: bigint | null | undefined,
  decimals: number | undefined,
): bigint | null {
  if (price == null || decimals === undefined) return null;
  return amount * price * 10n ** BigInt(SCALE - PRICE_DECIMALS - decimals);
}

/** Rounded half up to 6 decimals, without trailing zeros. */
export function dollarText(dollars: bigint): string {
  const unit = 10n ** BigInt(SCALE - 6);
  const millionths = String((2n * dollars + unit) / (2n * unit)).padStart(7, "0");
  return `${millionths.slice(0, -6)}.${millionths.slice(-6)}`.replace(/\.?0+$/, "");
}

/** A quotient with at most 6 decimals, or as many as given, rounded half away from zero. */
export function quotientText(part: bigint, whole: bigint, decimals = 6): string {
  const size = part < 0n ? -part : part;
  const units = (2n * size * 10n ** BigInt(decimals) + whole) / (2n * whole);
  const digits = String(units).padStart(decimals + 1, "0");
  const text = `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`.replace(/\.?0+$/, "");
  return part < 0n && text !== "0" ? `-${text}` : text;
}
