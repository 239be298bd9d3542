/** Sums decimal numbers of any size, exactly. */
export function sumOfDecimals(decimals: readonly string[]): string {
  const places = Math.max(0, ...decimals.map((decimal) => decimal.split(".")[1]?.length ?? 0));
  const units = decimals.reduce((sum, decimal) => {
    const [whole = "0", fraction = ""] = decimal.split(".");
    return sum + BigInt(whole + fraction.padEnd(places, "0"));
  }, 0n);
  if (places === 0) return String(units);
  const digits = String(units).padStart(places + 1, "0");
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`.replace(/\.?0+$/, "");
}

/** The number of millionths in a decimal number. */
const micros = (decimal: string) => {
  const [whole = "0", fraction = ""] = decimal.split(".");
  return BigInt(whole + fraction.slice(0, 6).padEnd(6, "0"));
};

/**
 * By how much a number is more than an earlier one, in basis points and cut to tenths of a percent. Undefined if the earlier
 * one is zero.
 *
 * @example
 * growthOf("150", "100") // "5000"
 */
export function growthOf(value: string, before: string): string | undefined {
  const [now, then] = [micros(value), micros(before)];
  return then === 0n ? undefined : String((((now - then) * 1000n) / then) * 10n);
}
