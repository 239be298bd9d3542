import type { AmountToken } from "../../common/format";
import { IntentryError } from "./error";

/** Digits with or without thousands separators, and a fraction. */
const AMOUNT = /^(\d+|\d{1,3}(?:,\d{3})+)(?:\.(\d+))?$/;

/**
 * Reads an amount of whole tokens, with or without separators and the symbol, as a number of the smallest units. Throws an
 * IntentryError with the code `invalid_amount` if the text is not exactly such an amount: it never rounds.
 *
 * @example
 * parseAmount("1,234.50", 6) // 1_234_500_000n
 */
export function parseAmount(text: string, token: AmountToken): bigint {
  const { decimals, symbol } = typeof token === "number" ? { decimals: token } : token;
  const invalid = (reason: string) =>
    new IntentryError(`${JSON.stringify(text)} ${reason}`, { code: "invalid_amount" });
  if (decimals === null) throw invalid("can't be an amount: the decimals of the token are unknown");
  const trimmed = text.trim();
  const number = symbol && trimmed.endsWith(symbol) ? trimmed.slice(0, -symbol.length).trimEnd() : trimmed;
  const [, whole, fraction = ""] = AMOUNT.exec(number) ?? [];
  if (whole === undefined) throw invalid(`is not an amount such as 1,234.50${symbol ? ` ${symbol}` : ""}`);
  const exact = fraction.replace(/0+$/, "");
  if (exact.length > decimals) throw invalid(`has more than the token's ${decimals} decimals`);
  return BigInt(whole.replaceAll(",", "") + exact.padEnd(decimals, "0"));
}
