/** An exact non-negative decimal: `digits` / 10^`scale`. */
export type Decimal = { digits: bigint; scale: number };

export const zero: Decimal = { digits: 0n, scale: 0 };

/** The digits at a larger scale. */
const rescaled = ({ digits, scale }: Decimal, to: number) => digits * 10n ** BigInt(to - scale);

export const times = (left: Decimal, right: Decimal): Decimal => ({
  digits: left.digits * right.digits,
  scale: left.scale + right.scale,
});

export function plus(left: Decimal, right: Decimal): Decimal {
  const scale = Math.max(left.scale, right.scale);
  return { digits: rescaled(left, scale) + rescaled(right, scale), scale };
}

/** Comparator for descending order. */
export function largestFirst(left: Decimal, right: Decimal): number {
  const scale = Math.max(left.scale, right.scale);
  const difference = rescaled(right, scale) - rescaled(left, scale);
  return difference === 0n ? 0 : difference > 0n ? 1 : -1;
}

/** Rounds half up to at most `fractionDigits` fraction digits. */
export function roundedHalfUp(value: Decimal, fractionDigits: number): Decimal {
  if (value.scale <= fractionDigits) return value;
  const divisor = 10n ** BigInt(value.scale - fractionDigits);
  return { digits: (2n * value.digits + divisor) / (2n * divisor), scale: fractionDigits };
}

/**
 * Formats a decimal without exponent and trailing zeros.
 *
 * @example
 * plainText({ digits: 1500000n, scale: 6 }) // "1.5"
 */
export function plainText({ digits, scale }: Decimal): string {
  const text = String(digits).padStart(scale + 1, "0");
  const whole = text.slice(0, text.length - scale);
  const fraction = text.slice(text.length - scale).replace(/0+$/, "");
  return fraction === "" ? whole : `${whole}.${fraction}`;
}

/** Longer input is rejected. */
const MAX_DIGITS = 100;

/** Parses a plain decimal. Returns undefined for anything else, including signs and exponents. */
export function parseDecimal(text: string): Decimal | undefined {
  const [, whole, fraction = ""] = /^(\d+)(?:\.(\d+))?$/.exec(text.length > MAX_DIGITS ? "" : text) ?? [];
  return whole === undefined ? undefined : { digits: BigInt(whole + fraction), scale: fraction.length };
}
