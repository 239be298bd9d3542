import type { Address, Hex } from "viem";

const types = {
  Order: [
    { name: "quoteHash", type: "bytes32" },
    { name: "payloadHash", type: "bytes32" },
  ],
} as const;

/**
 * The message that a buyer signs for an order. Quotes and payments are public, so without it anyone could send an order of
 * their own for a quote that another agent has paid.
 */
export const orderMessage = (registry: Address, chainId: number, message: { quoteHash: Hex; payloadHash: Hex }) =>
  ({
    domain: { name: "Intentry order", version: "1", chainId, verifyingContract: registry },
    types,
    primaryType: "Order",
    message,
  }) as const;
