import type { Address } from "viem";

/** Payment terms. The payer signs exactly these fields. */
export type Terms = {
  /** The CAIP-2 id of the payment network. */
  network: `eip155:${number}`;
  payTo: Address;
  /** The price in dollars, such as `$0.01`. */
  price: string;
  /** A token with EIP-3009 support, and its EIP-712 domain. */
  asset: { address: Address; name: string; version: string; decimals: number };
};

/**
 * Converts dollars to the token's smallest unit. Returns null if the price has more decimals than the token.
 *
 * @example
 * unitsOf("$0.01", 6) // 10000n
 */
export function unitsOf(price: string, decimals: number): bigint | null {
  const [whole = "", fraction = ""] = price.replace(/^\$/, "").split(".");
  const digits = fraction.replace(/0+$/, "");
  return digits.length > decimals ? null : BigInt(whole + digits.padEnd(decimals, "0"));
}
