/**
 * A whole number in decimal digits, with thousands separators.
 *
 * @example
 * groupDigits("1234567") // "1,234,567"
 */
export const groupDigits = (digits: string): string => digits.replace(/\d(?=(\d{3})+(?!\d))/g, "$&,");

/** A token's decimals, or its record of `tokens.get`. */
export type AmountToken = number | { decimals: number | null; symbol?: string | null };

const parts = (token: AmountToken) => (typeof token === "number" ? { decimals: token } : token);

/**
 * Writes an amount in whole tokens, with the symbol if the token has one. It is exact, and has at least two decimals and
 * thousands separators. An amount of a token with unknown decimals stays in its smallest unit.
 *
 * @example
 * formatAmount(1_234_500_000n, 6) // "1,234.50"
 * formatAmount("950000000", await intentry.tokens.get({ address })) // "950.00 tUSD"
 */
export function formatAmount(value: bigint | string, token: AmountToken): string {
  const { decimals, symbol } = parts(token);
  const amount = BigInt(value);
  const digits = String(amount < 0n ? -amount : amount).padStart((decimals ?? 0) + 1, "0");
  const point = digits.length - (decimals ?? 0);
  const fraction = decimals === null ? "" : `.${digits.slice(point).replace(/0+$/, "").padEnd(2, "0")}`;
  const unit = symbol == null ? "" : decimals === null ? ` units of ${symbol}` : ` ${symbol}`;
  return `${amount < 0n ? "-" : ""}${groupDigits(digits.slice(0, point))}${fraction}${unit}`;
}

/** The first second after the year 9999, in unix seconds. Later times have no usual notation. */
const YEAR_10000 = 253_402_300_800n;

/** A time as a date; undefined from the year 10000 on. Contracts accept any number as a time. */
export const dateOf = (unixSeconds: bigint): Date | undefined =>
  unixSeconds < YEAR_10000 ? new Date(Number(unixSeconds) * 1000) : undefined;

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/**
 * Writes the day of a time in UTC. A time without a date stays a number.
 *
 * @example
 * formatDay(1_794_684_300n) // "14 Nov 2026"
 */
export function formatDay(unixSeconds: bigint): string {
  const date = dateOf(unixSeconds);
  return date ? `${date.getUTCDate()} ${months[date.getUTCMonth()]} ${date.getUTCFullYear()}` : String(unixSeconds);
}

/**
 * Writes a time to the second. A time without a date stays a number.
 *
 * @example
 * formatSecond(1_794_684_325n) // "14 Nov 2026 19:25:25 UTC"
 */
export function formatSecond(unixSeconds: bigint): string {
  const date = dateOf(unixSeconds);
  return date ? `${formatDay(unixSeconds)} ${date.toISOString().slice(11, 19)} UTC` : String(unixSeconds);
}

/**
 * Writes a time to the minute. A time without a date stays a number.
 *
 * @example
 * formatTime(1_794_684_300n) // "14 Nov 2026 19:25 UTC"
 */
export function formatTime(unixSeconds: bigint): string {
  const date = dateOf(unixSeconds);
  return date ? `${formatDay(unixSeconds)} ${date.toISOString().slice(11, 16)} UTC` : String(unixSeconds);
}
