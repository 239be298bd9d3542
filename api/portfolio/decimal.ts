/** An exact decimal number that is not negative: `digits` divided by 10 to the power of `scale`. */
export type Decimal = { digits: bigint; scale: number };

export const zero: Decimal = { digits: 0n, scale: 0 };

/** What `digits` become when they are written with more fraction digits. */
const widened = ({ digits, scale }: Decimal, to: number) => digits * 10n ** BigInt(to - scale);

export const times = (left: Decimal, right: Decimal): Decimal => ({
  digits: left.digits * right.digits,
  scale: left.scale + right.scale,
});

export function plus(left: Decimal, right: Decimal): Decimal {
  const scale = Math.max(left.scale, right.scale);
  return { digits: widened(left, scale) + widened(right, scale), scale };
}

/** Which of two comes first when the largest does: negative for the left one, 0 where they are equal. */
export function largestFirst(left: Decimal, right: Decimal): number {
  const scale = Math.max(left.scale, right.scale);
  const difference = widened(right, scale) - widened(left, scale);
  return difference === 0n ? 0 : difference > 0n ? 1 : -1;
}

/** The nearest number with at most so many fraction digits; of two that are equally near, the larger. */
export function roundedHalfUp(value: Decimal, fractionDigits: number): Decimal {
  if (value.scale <= fractionDigits) return value;
  const divisor = 10n ** BigInt(value.scale - fractionDigits);
  return { digits: (2n * value.digits + divisor) / (2n * divisor), scale: fractionDigits };
}

/**
 * The number in plain digits: no exponent, no trailing zeros.
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

/** No price or balance is longer than this. */
const MAX_DIGITS = 100;

/** Reads plain digits, with or without a fraction; undefined for anything else, an exponent or a sign included. */
export function parseDecimal(text: string): Decimal | undefined {
  const [, whole, fraction = ""] = /^(\d+)(?:\.(\d+))?$/.exec(text.length > MAX_DIGITS ? "" : text) ?? [];
  return whole === undefined ? undefined : { digits: BigInt(whole + fraction), scale: fraction.length };
}
