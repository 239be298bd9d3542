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

/**
 * By how much a number is more than an earlier one, in percent. Undefined if the earlier one is zero.
 *
 * @example
 * growthOf("150", "100") // 50
 */
export const growthOf = (value: string, before: string): number | undefined =>
  Number(before) === 0 ? undefined : Math.round((Number(value) / Number(before) - 1) * 1000) / 10;
