import { formatAmount, formatTime, groupDigits } from "../../common/format";
import { escapeInvisible } from "../../common/text";
import type { Token } from "../src/api";

export type Row = Readonly<Record<string, unknown>>;

export const isRow = (value: unknown): value is Row =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The tokens of a response, by address. */
export type Tokens = ReadonlyMap<string, Pick<Token, "symbol" | "decimals" | "source">>;

/** The native coin of the chain. */
export const NATIVE_COIN = "0x0000000000000000000000000000000000000000";

/** The fields with amounts, and the field of the same record with their token. */
const tokenFields: Readonly<Record<string, string>> = {
  amount_in_max: "input_token",
  amount_in: "input_token",
  amount_out_min: "output_token",
  amount_out: "output_token",
  amount: "token",
  gross_amount: "token",
  protocol_fee_amount: "token",
  max_per_day: "token",
  max_per_payment: "token",
  spent_today: "token",
  settled_volume: "token",
  protocol_fees: "token",
  price: "price_token",
};

/** Amounts of the native coin. */
const nativeAmounts = new Set(["bond"]);

/** Times in unix seconds. */
const times = new Set([
  "block_timestamp",
  "committed_at",
  "registered_at",
  "executed_at",
  "selected_at",
  "deadline",
  "valid_until",
  "expires_at",
  "timestamp",
  "settled_at",
  "submitted_at",
  "filled_at",
  "created_at",
  "window_resets_at",
]);

const isDigits = (value: unknown): value is string => typeof value === "string" && /^\d+$/.test(value);

/** The address of the token of an amount. Undefined if the field is not an amount, or its token is unknown. */
export function tokenOf(name: string, row: Row): string | undefined {
  if (nativeAmounts.has(name)) return NATIVE_COIN;
  const address = row[tokenFields[name] ?? ""];
  return typeof address === "string" ? address : undefined;
}

/**
 * The first and last digits of an address or a hash.
 *
 * @example
 * shortHex("0x70997970c51812dc3a010c7d01b50e0d17dc79c8") // "0x7099…79c8"
 */
const shortHex = (text: string) => (/^0x[0-9a-f]{40,}$/i.test(text) ? `${text.slice(0, 6)}…${text.slice(-4)}` : text);

/** An amount with its token. Any contract can have any symbol, so only a listed token is named without its address. */
export function amountText(value: string, address: string, tokens: Tokens): string {
  const { symbol = null, decimals = null, source } = tokens.get(address) ?? {};
  const number = decimals === null ? groupDigits(value) : formatAmount(value, decimals);
  if (symbol === null) return `${number} ${shortHex(address)}`;
  return `${number} ${symbol}${source === "list" ? "" : ` (${shortHex(address)})`}`;
}

/** A value in one line. Short cells have the ends of long hex values only. */
export function cellOf(name: string, row: Row, tokens: Tokens, isShort: boolean): string {
  const value = row[name];
  if (value === null || value === undefined) return "-";
  const token = tokenOf(name, row);
  if (isDigits(value) && token !== undefined) return escapeInvisible(amountText(value, token, tokens));
  if (isDigits(value) && times.has(name)) return formatTime(BigInt(value));
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const { symbol = null, source } = tokens.get(text) ?? {};
  if (isShort && source === "list" && symbol !== null) return escapeInvisible(symbol);
  return escapeInvisible(isShort ? shortHex(text) : text);
}
