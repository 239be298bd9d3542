import { groupDigits } from "../../common/format";

/** They stay on the line of the number. */
const suffixes = ["", "", "\u00a0M", "\u00a0B", "\u00a0T"] as const;

/** Numbers with more digits, or as many zeros after the point, are written as powers of ten. */
const MAX_DIGITS = 15;

const withoutZeros = (fraction: string) => fraction.replace(/0+$/, "");

/**
 * A decimal number of any size for a glance: at most five significant digits of a fraction, and M, B and T from a million on. It is
 * cut, never rounded up, so that it does not say more than there is.
 *
 * @example
 * shortNumber("1234567.89") // "1.23 M"
 * shortNumber("0.000012345678") // "0.000012345"
 */
export function shortNumber(decimal: string): string {
  const sign = decimal.startsWith("-") ? "-" : "";
  const [whole = "0", fraction = ""] = decimal.slice(sign.length).split(".");
  if (whole.length > MAX_DIGITS) return `${sign}${whole[0]}.${whole.slice(1, 3)} × 10^${whole.length - 1}`;
  if (whole.length > 6) {
    const group = Math.floor((whole.length - 1) / 3);
    const point = whole.length - 3 * group;
    const digits = withoutZeros(whole.slice(point, point + 2));
    return `${sign}${whole.slice(0, point)}${digits && `.${digits}`}${suffixes[group]}`;
  }
  const leading = whole === "0" ? fraction.length - fraction.replace(/^0+/, "").length : 0;
  if (leading > MAX_DIGITS && leading < fraction.length) {
    const digits = fraction.slice(leading, leading + 3).padEnd(3, "0");
    return `${sign}${digits[0]}.${digits.slice(1)} × 10^-${leading + 1}`;
  }
  const places = whole === "0" ? leading + 5 : Math.max(2, 6 - whole.length);
  const shown = withoutZeros(fraction.slice(0, places));
  return `${sign}${groupDigits(whole)}${shown && `.${shown}`}`;
}

/**
 * Dollars with cents, or with more digits if they are less than a cent.
 *
 * @example
 * shortDollars("1234.5") // "$1,234.50"
 * shortDollars("0.000213") // "$0.000213"
 */
export function shortDollars(decimal: string): string {
  const short = shortNumber(decimal);
  const sign = short.startsWith("-") ? "-" : "";
  const [whole = "", fraction] = short.slice(sign.length).split(".");
  if (/[^\d.,-]/.test(short) || (fraction !== undefined && whole === "0" && /^00/.test(fraction)))
    return `${sign}$${short.slice(sign.length)}`;
  if (fraction === undefined) return `${sign}$${whole}`;
  return `${sign}$${whole}.${fraction.slice(0, 2).padEnd(2, "0")}`;
}

/**
 * A share in basis points as percent, cut to hundredths.
 *
 * @example
 * percentOfBasisPoints("210") // "2.1 %"
 */
export function percentOfBasisPoints(basisPoints: string): string {
  const sign = basisPoints.startsWith("-") ? "-" : "";
  const [whole = "0"] = basisPoints.slice(sign.length).split(".");
  const digits = whole.padStart(3, "0");
  return `${sign}${shortNumber(`${digits.slice(0, -2)}.${digits.slice(-2)}`)} %`;
}
