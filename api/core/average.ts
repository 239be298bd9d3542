const FRACTION_DIGITS = 6;
const SCALE = 10n ** BigInt(FRACTION_DIGITS);

/**
 * The mean of `count` numbers with a sum, as a decimal text of at most six fraction digits, rounded half up and without
 * trailing zeros. The mean of nothing is 0.
 *
 * @example
 * average(7n, 2) // "3.5"
 */
export function average(sum: bigint, count: number): string {
  if (count === 0) return "0";
  const divisor = BigInt(count);
  const scaled = (2n * sum * SCALE + divisor) / (2n * divisor);
  const fraction = String(scaled % SCALE)
    .padStart(FRACTION_DIGITS, "0")
    .replace(/0+$/, "");
  return fraction === "" ? String(scaled / SCALE) : `${scaled / SCALE}.${fraction}`;
}
