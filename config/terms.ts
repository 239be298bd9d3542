import type { Address } from "viem";

/** For what is paid, and how: what the payer signs is made of nothing else. */
export type Terms = {
  /** CAIP-2. */
  network: `eip155:${number}`;
  payTo: Address;
  /** The price as people read it: `$0.01`. */
  price: string;
  /** A token that takes transfers by authorization (EIP-3009), and the domain of its signatures. */
  asset: { address: Address; name: string; version: string; decimals: number };
};

/**
 * An amount of dollars in the token's smallest unit; null when it has more digits than the token.
 *
 * @example
 * unitsOf("$0.01", 6) // 10000n
 */
export function unitsOf(price: string, decimals: number): bigint | null {
  const [whole = "", fraction = ""] = price.replace(/^\$/, "").split(".");
  const digits = fraction.replace(/0+$/, "");
  return digits.length > decimals ? null : BigInt(whole + digits.padEnd(decimals, "0"));
}
