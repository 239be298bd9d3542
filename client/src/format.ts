/**
 * A whole number in decimal digits, with thousands separators.
 *
 * @example
 * groupDigits("1234567") // "1,234,567"
 */
export const groupDigits = (digits: string): string => digits.replace(/\d(?=(\d{3})+(?!\d))/g, "$&,");

/**
 * Writes an amount of a token in whole tokens. It is exact, and has at least two decimals and thousands separators.
 *
 * @example
 * formatAmount(1_234_500_000n, 6) // "1,234.50"
 */
export function formatAmount(amount: bigint, decimals: number): string {
  const digits = String(amount).padStart(decimals + 1, "0");
  const point = digits.length - decimals;
  return `${groupDigits(digits.slice(0, point))}.${digits.slice(point).replace(/0+$/, "").padEnd(2, "0")}`;
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
 * Writes a time to the minute. A time without a date stays a number.
 *
 * @example
 * formatTime(1_794_684_300n) // "14 Nov 2026 19:25 UTC"
 */
export function formatTime(unixSeconds: bigint): string {
  const date = dateOf(unixSeconds);
  return date ? `${formatDay(unixSeconds)} ${date.toISOString().slice(11, 16)} UTC` : String(unixSeconds);
}
