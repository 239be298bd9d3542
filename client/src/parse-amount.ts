import { readAmount } from "../../common/amount";
import type { AmountToken } from "../../common/format";
import { IntentryError } from "./error";

/**
 * Reads an amount of whole tokens, with or without separators and the symbol, as a number of the smallest units. Throws an
 * IntentryError with the code `invalid_amount` if the text is not exactly such an amount: it never rounds.
 *
 * @example
 * parseAmount("1,234.50", 6) // 1_234_500_000n
 */
export function parseAmount(text: string, token: AmountToken): bigint {
  const read = readAmount(text, token);
  if ("problem" in read) throw new IntentryError(`${JSON.stringify(text)} ${read.problem}`, { code: "invalid_amount" });
  return read.amount;
}
