import type { Token } from "../../client/src/api";
import { formatAmount } from "../../common/format";
import { type Names, nameKey } from "../names";
import { shortHex } from "../text/format";
import { shortNumber } from "../text/short-number";

/** Writes what a page knows as plain text. */
export type Words = {
  /** An amount for a glance, such as "1,000 tUSD". */
  amount: (value: string, token: string) => string;
  /** A record by its name if it has one, such as "Skyline Data" or "merchant #1". */
  record: (kind: string, id: string) => string;
  /** An account by the name of the record that it acts for, or by its short address. */
  account: (address: string) => string;
};

const amountIn = (value: string, address: string, token: Token | undefined): string => {
  const isListed = token?.source === "list";
  // Any contract can have any symbol, so only a listed token is named without its address.
  const unit = isListed && token.symbol ? token.symbol : [token?.symbol, shortHex(address)].filter(Boolean).join(" ");
  if (token?.decimals == null) return `${shortNumber(value)} units of ${unit}`;
  return `${shortNumber(formatAmount(BigInt(value), token.decimals).replaceAll(",", ""))} ${unit}`;
};

export const wordsOf = ({ tokens, names }: { tokens: readonly Token[]; names: Names }): Words => ({
  amount: (value, address) =>
    amountIn(
      value,
      address,
      tokens.find((token) => token.address === address),
    ),
  record: (kind, id) => names[nameKey(kind, id)] ?? `${kind} #${id}`,
  account: (address) => names[nameKey("account", address)] ?? shortHex(address),
});

/**
 * A count with its noun.
 *
 * @example
 * counted("1", "receipt") // "1 receipt"
 */
export const counted = (count: string | number, noun: string): string =>
  `${shortNumber(String(count))} ${noun}${String(count) === "1" ? "" : "s"}`;
