import type { AmountToken } from "./format";

/** Digits with or without thousands separators, and a fraction. */
const AMOUNT = /^(\d+|\d{1,3}(?:,\d{3})+)(?:\.(\d+))?$/;

/** The number and the rest of a text such as "1,000.5 tUSD". */
const NUMBER_AND_UNIT = /^([\d.,]*\d)\s*(.*)$/s;

/**
 * Splits an amount into its number and its symbol, which may be empty. Undefined if the text does not begin with a number.
 *
 * @example
 * splitAmount("1,000.5 tUSD") // { number: "1,000.5", symbol: "tUSD" }
 */
export function splitAmount(text: string): { number: string; symbol: string } | undefined {
  const [, number, symbol] = NUMBER_AND_UNIT.exec(text.trim()) ?? [];
  return number === undefined || symbol === undefined || !AMOUNT.test(number) ? undefined : { number, symbol };
}

/**
 * Reads an amount of whole tokens, with or without separators and the symbol, as a number of the smallest units. It never
 * rounds. `problem` continues a sentence that begins with the text.
 */
export function readAmount(text: string, token: AmountToken): { amount: bigint } | { problem: string } {
  const { decimals, symbol } = typeof token === "number" ? { decimals: token } : token;
  if (decimals === null) return { problem: "can't be an amount: the decimals of the token are unknown" };
  const trimmed = text.trim();
  const number = symbol && trimmed.endsWith(symbol) ? trimmed.slice(0, -symbol.length).trimEnd() : trimmed;
  const [, whole, fraction = ""] = AMOUNT.exec(number) ?? [];
  if (whole === undefined) return { problem: `is not an amount such as 1,234.50${symbol ? ` ${symbol}` : ""}` };
  const exact = fraction.replace(/0+$/, "");
  if (exact.length > decimals) return { problem: `has more than the token's ${decimals} decimals` };
  return { amount: BigInt(whole.replaceAll(",", "") + exact.padEnd(decimals, "0")) };
}
