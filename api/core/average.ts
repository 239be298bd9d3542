const FRACTION_DIGITS = 6;
const SCALE = 10n ** BigInt(FRACTION_DIGITS);

/**
 * Returns the mean as a decimal string with at most six fraction digits, rounded half up and without trailing zeros.
 * Returns 0 if `count` is 0.
 *
 * @example
 * average(7n, 2) // "3.5"
 */
export function average(sum: bigint, count: number | bigint): string {
  const divisor = BigInt(count);
  if (divisor === 0n) return "0";
  const scaled = (2n * sum * SCALE + divisor) / (2n * divisor);
  const fraction = String(scaled % SCALE)
    .padStart(FRACTION_DIGITS, "0")
    .replace(/0+$/, "");
  return fraction === "" ? String(scaled / SCALE) : `${scaled / SCALE}.${fraction}`;
}
